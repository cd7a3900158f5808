# frozen_string_literal: true

module Raffia
  class Scheduler
    class Portable < Scheduler
      # Waiting for descriptors.
      #
      # @api private
      module Readiness
        ETIME = -Errno::ETIME::Errno
        EBADF = -Errno::EBADF::Errno
        private_constant :ETIME, :EBADF

        # Hook of IO#wait and of all that would block on a descriptor; Net::HTTP, OpenSSL, pg and
        # redis come here.
        #
        # @param io [IO]
        # @param events [Integer] IO::READABLE | IO::PRIORITY | IO::WRITABLE
        # @param timeout [Numeric, nil] seconds; 0 only looks; nil: for as long as IO#timeout says
        # @return [Integer, false] the events that came; false when the time was up
        def io_wait(io, events, timeout = nil)
          # Ruby 3.4 asks us from the offload pool's thread too, where IO.copy_stream works; nobody
          # else needs that one.
          unless @thread.nil? || @thread.equal?(Thread.current)
            return io.wait(events, timeout) || false
          end

          return wait_until_ready(io, events, timeout) if timeout || (limit = io.timeout).nil?

          wait_until_ready(io, events, limit) || io_timed_out(limit)
        end

        private

        def wait_until_ready(io, events, timeout)
          return look(io, events) if timeout && timeout <= 0

          wait = new_wait(about: {reason: :io, subject: io, fd: io.fileno, events: events,
                                  limit: timeout})
          timer = engine.after(timeout, wait) if timeout
          operation = engine.arm(io, events, wait)
          result = suspend(wait)
          # The loop may have come late for both: then what matters is what is there.
          return look(io, events) if result == ETIME

          result.negative? ? fail_with(io, result) : result
        ensure
          @engine.disarm(timer) if timer
          @engine.disarm(operation) if operation
        end

        def look(io, events)
          found = engine.ready(io, events)
          return found if found.positive?

          found.negative? ? fail_with(io, found) : false
        end

        def fail_with(io, result)
          raise IOError, "stream closed in another thread" if result == EBADF && io.closed?
          raise SystemCallError.new(nil, -result)
        end
      end
    end
  end
end
