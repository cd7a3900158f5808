# frozen_string_literal: true

module Raffia
  module Executor
    module Threads
      # Runs blocking operations of Ruby's core on native threads, for the fibers of a scheduler: C
      # functions, one after another, without Ruby's lock. Threads start as they are needed, up to a
      # bound, and end after some time without work.
      class OperationPool
        IDLE = 5.0

        # `idle`: seconds until a thread without work ends. The block makes an Engine::CallQueue,
        # which knows the bound.
        def initialize(idle: IDLE, &queue)
          @make_queue = queue
          @idle = idle
          @abandoned = []
          start_over
          # A forked child has none of the threads, and no caller of theirs.
          @fork = Fork.after_child { start_over unless @closed }
        end

        # Whether there is nothing to wait for, because no thread will run it.
        def submit(call, scheduler, wait)
          wanted = @queue.submit(call, scheduler, wait)
          return true if wanted.nil?
          return false if !wanted || start(@queue)

          !@queue.not_started && @queue.cancel(call, wait)
        end

        # Keeps the call from beginning, or has it end soon. Whether it is over.
        def cancel(call, wait) = @queue.cancel(call, wait)

        # The scheduler is closed. Calls that still run for it use its fibers' stacks, which are
        # kept.
        def abandon(scheduler) = @abandoned.concat(@queue.abandon(scheduler))

        # Takes no more calls, and waits for the others, at most so many seconds. Whether all
        # threads have ended.
        def shutdown(timeout = nil)
          @closed = true
          @fork.remove
          @queue.close
          give_up = timeout && Clock.now + timeout
          @lock.hold { @threads.keys }.all? do |thread|
            thread.join(give_up && [give_up - Clock.now, 0].max)
          end
        end

        def stats = @queue.stats

        private

        def start_over
          @queue = @make_queue.call
          @threads = {}.compare_by_identity
          @lock = SpinLock.new
        end

        # Whether the system has a thread for us. One that is killed before it serves must say so:
        # no interrupt reaches it until then.
        def start(queue)
          # Fiber storage is inherited, and this thread will serve others too.
          thread = Fiber.new(blocking: true, storage: {}) do
            Thread.handle_interrupt(Object => :never) { Thread.new(queue) { |its| serve(its) } }
          end.resume
          @lock.hold { @threads[thread] = true }
          true
        rescue ThreadError, FiberError
          false
        end

        def serve(queue)
          begun = false
          Thread.current.name = "raffia operations"
          Thread.current.report_on_exception = false
          Thread.handle_interrupt(Object => :immediate) { (begun = true) && queue.serve(@idle) }
        ensure
          queue.not_started unless begun
          @lock.hold { @threads.delete(Thread.current) }
          replace(queue)
        end

        # The thread was killed, and calls wait that no other would run.
        def replace(queue)
          queue.not_started if queue.short_of_threads && !start(queue)
        end
      end
    end
  end
end
