# frozen_string_literal: true

module Raffia
  class Scheduler
    # Calls that block the thread whatever a scheduler does. Those that run Ruby's code go to other
    # threads, if any were handed in: core's own, which are short as a rule, to some that users'
    # calls cannot occupy. Where the engine has native threads, it looks up names and moves files'
    # bytes by itself.
    #
    # @api private
    module Offload
      # Seconds between two pushes at a call that is to end soon.
      PUSH = 0.02
      WAITING = {files: "a file-system call on another thread",
                 compute: "a computation in C on another thread",
                 waiting: "the other end of a file that is being opened"}.freeze
      private_constant :PUSH, :WAITING

      # Hook of Addrinfo.getaddrinfo and all that looks up names. libc does it, with all of its
      # configuration, on a thread of the engine's. An interrupt need not wait for it.
      #
      # @param hostname [String]
      # @return [Array<String>] addresses
      # @raise [SocketError]
      def address_resolve(hostname)
        loop = engine
        return resolve_elsewhere(hostname) unless loop.respond_to?(:resolve)

        resolution = nil
        park(false, "the addresses of #{hostname}") do |wait|
          resolution = loop.resolve(hostname, wait)
          false
        end
        resolution.addresses
      ensure
        loop.disarm(resolution.id) if resolution
      end

      # Hook of Ruby 3.4 for C code that releases the lock and may run on any thread: file-system
      # calls, zlib, long divisions. What is short runs in the fiber: the engine's policy says what
      # is, from the time that each has taken.
      #
      # @param work [#call]
      # @return [void]
      def blocking_operation_wait(work)
        place = @policy&.run(work)
        return if place == true
        return io_closed if place == :closed
        return close_here(work) if place.nil? && Engine.closing?

        threads = @operations.call(place) if @operations && place
        return offloaded_to_the_end { work.call } && nil unless threads

        call_elsewhere(work, threads, WAITING.fetch(place)) || Fiber.blocking { work.call }
        nil
      end

      # Run the block where it cannot hold up the other fibers, and wait for it in this one.
      # @return [Object] the block's value
      def offloaded(&block)
        @offload ? @offload.call(&block) : Fiber.blocking(&block)
      end

      private

      # @return [Hash] of the threads of Ruby's that do them, by kind
      def thread_stats = @operations.respond_to?(:stats) ? @operations.stats : {}

      # @return [Boolean] false when it is still to be done, as there is no thread for it
      def call_elsewhere(work, threads, subject)
        call = Engine::BlockingCall.new(work, @policy)
        await_call(call, threads, subject)
        call.complete
      rescue Exception # standard:disable Lint/RescueException
        call&.discard
        raise
      end

      # The function works on this fiber's stack: an interrupt has it end soon, and goes on when it
      # has.
      def await_call(call, threads, subject)
        begun = false
        Engine.uninterruptible do
          next call.done? || end_call(call, threads, subject) if begun

          begun = true
          park(false, subject) { |wait| threads.submit(call, self, wait) }
          call.done?
        end
      end

      # @return [Boolean] whether it is over, or never began
      def end_call(call, threads, subject)
        over = timer = nil
        park(true, subject) do |wait|
          over = threads.cancel(call, wait)
          # What is to end may not have fallen asleep yet, and is told again.
          timer = engine.after(PUSH, wait) unless over
          over
        end
        over || call.done?
      ensure
        engine.disarm(timer) if timer && !closed?
      end

      # In a fiber that is not blocking, the operation would ask the hook again.
      def close_here(work)
        Fiber.blocking { work.call }
        io_closed
      end

      def resolve_elsewhere(hostname)
        lookup = proc { Addrinfo.getaddrinfo(hostname, nil, nil, :STREAM).map(&:ip_address).uniq }
        @blocking ? @blocking.call(&lookup) : Fiber.blocking(&lookup)
      end

      # For core's work, which uses memory that dies with the wait, such as C code's arguments on
      # the fiber's stack: an interrupt calls the work off, and is raised when that has ended.
      def offloaded_to_the_end(&work)
        return Fiber.blocking(&work) unless @blocking

        errand = Errand.new(&work)
        begun = false
        Engine.uninterruptible do
          next errand.call_off || true if begun

          begun = true
          @blocking.call { errand.run }
          true
        end
        errand.value
      end
    end
  end
end
