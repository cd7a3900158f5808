# frozen_string_literal: true

require_relative "offload/offloaded_call"

module Raffia
  class Scheduler
    # Calls that block the thread whatever a scheduler does. Those that run Ruby code go to other
    # threads, if there are any: core's own, which are usually short, to threads that users' calls
    # cannot occupy.
    #
    # @api private
    class Offload
      # Seconds between two interrupts of a call that is to end soon.
      CANCEL_INTERVAL = 0.02
      SUBJECTS = {files: "a file-system call on another thread",
                  compute: "a computation in C on another thread",
                  waiting: "the other end of a file that is being opened"}.freeze
      private_constant :CANCEL_INTERVAL, :SUBJECTS

      # See {Scheduler#initialize}.
      def initialize(scheduler, calls, blocking, operations, policy)
        @scheduler = scheduler
        @calls = calls
        @blocking = blocking
        @operations = operations
        @policy = policy
      end

      # Runs the block on another thread, waits for it in the fiber, and returns its value.
      def call(&block) = @calls ? @calls.call(&block) : Fiber.blocking(&block)

      # The same for work that uses memory of the waiting fiber, such as C arguments on its stack:
      # an interrupt cancels the work, and is raised when that has ended.
      def call_to_end(&work)
        return Fiber.blocking(&work) unless @blocking

        call = OffloadedCall.new(&work)
        begun = false
        Engine.uninterruptible do
          next call.cancel || true if begun

          begun = true
          @blocking.call { call.run }
          true
        end
        call.value
      end

      # Runs a blocking operation of core's on a thread. +kind+: :files, :compute, :waiting, or nil.
      def run_operation(work, kind)
        threads = @operations.call(kind) if @operations && kind
        return call_to_end { work.call } && nil unless threads

        run_on(threads, work, SUBJECTS.fetch(kind)) || Fiber.blocking { work.call }
        nil
      end

      # An Array of addresses. Raises SocketError.
      def resolve(hostname)
        loop = @scheduler.engine
        return resolve_on_thread(hostname) unless loop.respond_to?(:resolve)

        resolution = nil
        @scheduler.park(false, "the addresses of #{hostname}") do |wait|
          resolution = loop.resolve(hostname, wait)
          false
        end
        resolution.addresses
      ensure
        loop.disarm(resolution.id) if resolution
      end

      def abandon = (@operations.abandon(@scheduler) if @operations.respond_to?(:abandon))

      # Figures of the threads for operations, by kind.
      def stats = @operations.respond_to?(:stats) ? @operations.stats : {}

      private

      # False when there is no thread for it, and it has not run.
      def run_on(threads, work, subject)
        call = Engine::BlockingCall.new(work, @policy)
        await(call, threads, subject)
        call.complete
      rescue Exception # standard:disable Lint/RescueException
        call&.discard
        raise
      end

      # The function works on the fiber's stack, so an interrupt is raised only after it has ended,
      # and makes it end soon.
      def await(call, threads, subject)
        begun = false
        Engine.uninterruptible do
          next call.done? || cancel(call, threads, subject) if begun

          begun = true
          @scheduler.park(false, subject) { |wait| threads.submit(call, @scheduler, wait) }
          call.done?
        end
      end

      # Whether it is over, or never began.
      def cancel(call, threads, subject)
        over = nil
        # Its thread may not be asleep yet, so it is interrupted again after the time.
        @scheduler.park_within(CANCEL_INTERVAL, true, subject) do |wait|
          over = threads.cancel(call, wait)
        end
        over || call.done?
      end

      def resolve_on_thread(hostname)
        lookup = proc {
          Addrinfo.getaddrinfo(hostname, nil, nil, :STREAM).map(&:ip_address).uniq
        }
        @blocking ? @blocking.call(&lookup) : Fiber.blocking(&lookup)
      end
    end
  end
end
