# frozen_string_literal: true

require_relative "../cpus"

module Raffia
  module Executor
    module Threads
      # Runs blocking calls on native threads, so that the fibers of a scheduler can go on. Threads
      # start as they are needed, up to a bound, and end when they are idle.
      #
      # A caller that is interrupted leaves at once, and its call is dropped, or runs on to its end:
      # C code cannot be stopped.
      class BlockingPool
        IDLE = 5.0
        KEY = :raffia_offload
        private_constant :KEY

        Call = Struct.new(:work, :done, :value, :error)
        private_constant :Call

        attr_reader :max

        # `idle`: seconds until a thread without work ends.
        def initialize(max: nil, idle: IDLE)
          @max = max || [Cpus.count * 2, 4].max
          @idle = idle
          start_over
          # A forked child has none of the threads, and no caller of theirs.
          @fork = Fork.after_child { start_over unless @closed }
        end

        # Runs the block on one of the threads, and waits for its value. Raises Closed after
        # {#shutdown}.
        def call(&work)
          # A thread of the pool would wait for itself when all are busy.
          return yield if Thread.current.thread_variable_get(KEY).equal?(self)

          call = Call.new(work, Thread::Queue.new)
          enqueue(call)
          call.done.pop
          call.error ? raise(error_of(call)) : call.value
        ensure
          call.work = nil if call
        end

        # Takes no more calls, and waits for the others, at most so many seconds. Whether all
        # threads have ended.
        def shutdown(timeout = nil)
          @closed = true
          @fork.remove
          @calls.close
          give_up = timeout && Clock.now + timeout
          @lock.hold { @threads.keys }.all? do |thread|
            thread.join(give_up && [give_up - Clock.now, 0].max)
          end
        end

        def stats
          {threads: @threads.size, idle: @calls.num_waiting, waiting: @calls.size, max: @max}
        end

        private

        def start_over
          @calls = Thread::Queue.new
          @threads = {}.compare_by_identity
          # A Mutex would park the very fiber that is asking its scheduler for help.
          @lock = SpinLock.new
        end

        def enqueue(call)
          @lock.hold do
            @calls << call
            # Waiting threads count until they run, so compare with the calls that there are for
            # them.
            start if @calls.size > @calls.num_waiting && @threads.size < @max
          end
        rescue ClosedQueueError
          raise Closed, "the offload pool has been shut down: nothing runs blocking calls any more"
        end

        def start
          # Fiber storage is inherited, and this thread will serve others too.
          thread = Fiber.new(blocking: true,
            storage: {}) { Thread.new(@calls) { |calls| serve(calls) } }.resume
          @threads[thread] = true
        end

        def serve(calls)
          thread = Thread.current
          thread.name = "raffia offload"
          thread.report_on_exception = false
          thread.thread_variable_set(KEY, self)
          while true
            call = calls.pop(timeout: @idle)
            call ? perform(call) : (return if retire?(thread, calls))
          end
        ensure
          @threads.delete(thread)
        end

        # No call may be left to a thread that is about to end.
        def retire?(thread, calls)
          @lock.hold { calls.empty? && @threads.delete(thread) }
        end

        def perform(call)
          work = call.work or return # its caller has left
          call.value = work.call
        rescue Exception => error # standard:disable Lint/RescueException
          call.error = error
        ensure
          call.done << true
        end

        def error_of(call)
          error = call.error
          error.set_backtrace(error.backtrace.to_a + caller(2)) unless error.frozen?
          error
        end
      end
    end
  end
end
