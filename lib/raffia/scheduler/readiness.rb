# frozen_string_literal: true

module Raffia
  class Scheduler
    # Waiting for descriptors.
    #
    # @api private
    module Readiness
      ETIME = -Errno::ETIME::Errno
      EBADF = -Errno::EBADF::Errno
      # What Ruby 3.3 makes of `false` when it has not named a time limit itself is Errno::EAGAIN.
      KNOWS_TIMEOUTS = RUBY_VERSION >= "3.4"
      private_constant :ETIME, :EBADF, :KNOWS_TIMEOUTS

      # Hook of IO#wait and of all that would block on a descriptor; Net::HTTP, OpenSSL, pg and redis come here.
      #
      # @param io [IO]
      # @param events [Integer] IO::READABLE | IO::PRIORITY | IO::WRITABLE
      # @param timeout [Numeric, nil] seconds; 0 only looks; nil: for as long as IO#timeout says
      # @return [Integer, false] the events that came; false when the time was up
      def io_wait(io, events, timeout = nil)
        # Ruby 3.4 asks us from the offload pool's thread too, where IO.copy_stream works; nobody else needs that one.
        return io.wait(events, timeout) || false unless @thread.nil? || @thread.equal?(Thread.current)

        return wait_until_ready(io, events, timeout) if timeout || (limit = io.timeout).nil?

        ready = wait_until_ready(io, events, limit)
        raise IO::TimeoutError, "not ready within the #{limit} s of IO#timeout" unless ready || KNOWS_TIMEOUTS

        ready
      end

      # Hook of IO.select.
      #
      # @param timeout [Numeric, nil] seconds
      # @return [Array<Array<IO>>, nil] what is ready; nil when the time was up
      def io_select(readables, writables = nil, exceptables = nil, timeout = nil)
        limit = timeout && Clock.now + interval(timeout)
        lists = [readables, writables, exceptables]
        until (found = select_now(lists))
          return if limit && Clock.now >= limit

          wait_for_any(lists, limit)
        end
        found
      end

      private

      def wait_until_ready(io, events, timeout)
        return look(io, events) if timeout && timeout <= 0

        wait = new_wait
        timer = engine.after(timeout, wait) if timeout
        operation = engine.arm(io, events, wait)
        result = park(wait)
        # The loop may have come late for both: then what matters is what is there.
        return look(io, events) if result == ETIME

        result.negative? ? refuse(io, result) : result
      ensure
        @engine.disarm(timer) if timer
        @engine.disarm(operation) if operation
      end

      def look(io, events)
        found = engine.ready(io, events)
        return found if found.positive?

        found.negative? ? refuse(io, found) : false
      end

      def refuse(io, result)
        raise IOError, "stream closed in another thread" if result == EBADF && io.closed?
        raise SystemCallError.new(nil, -result)
      end

      # Ruby's own select knows what its buffers hold, and what `to_io` stands for.
      def select_now(lists)
        Fiber.blocking { IO.select(*lists, 0) }
      end

      def wait_for_any(lists, limit)
        operations = []
        wait = new_wait
        lists.zip([IO::READABLE, IO::WRITABLE, IO::PRIORITY]) do |list, event|
          list&.each { |object| operations << engine.arm(object.to_io, event, wait) }
        end
        operations << engine.after(limit - Clock.now, wait) if limit
        park(wait)
      ensure
        operations.each { |operation| @engine.disarm(operation) }
      end
    end
  end
end
