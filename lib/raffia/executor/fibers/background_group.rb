# frozen_string_literal: true

require_relative "../worker_loop"

module Raffia
  module Executor
    module Fibers
      # Worker loops in fibers of one thread with a loop of its own. Callers may be in any thread,
      # under any scheduler or none.
      class BackgroundGroup
        def self.threads? = true

        attr_reader :size

        def initialize(coordinator, capacity, first: 1, &slots)
          @coordinator = coordinator
          @capacity = capacity
          @first = first
          @slots = slots
          @live = @size = 0
          @hosting = false
          @thread = nil
          @lock = Thread::Mutex.new
        end

        # Whether the thread has to be started.
        def wanted?(feed) = !@hosting && feed.size.positive?
        def grow(_feed) = start(@first)

        def start(count)
          @lock.synchronize do
            return if @hosting

            @hosting = true
            @size = count
            last = @thread
            @thread = Thread.new do
              last&.join # whoever waits for us then waits for all
              host(count)
            end
          end
        end

        # A worker loop has found work: another one should wait for the next.
        def spread(feed)
          add if @live < @capacity && feed.idle.zero?
        end

        def join(timeout = nil)
          give_up = timeout && Clock.now + timeout
          while (thread = @thread)
            return false unless thread.join(give_up && [give_up - Clock.now, 0].max)
            # The last thing that a thread does may be to start the next.
            break if thread.equal?(@thread)
          end
          true
        end

        # Cancels the fibers where they wait, and waits for their end.
        def stop(reason = :pool_stopped)
          @scope&.cancel(reason)
          @thread&.join unless Thread.current.equal?(@thread)
        end

        private

        def host(count)
          Thread.current.name = "raffia fibers"
          Thread.current.report_on_exception = false
          Fibers.run do
            Scope.open do |scope|
              @scope = scope
              count.times { add }
            end
          end
        rescue => error
          @coordinator.crash(error, nil)
        ensure
          @hosting = false
          # Work may have come while the last fiber left.
          @coordinator.thread_ended
        end

        def add
          @live += 1
          @scope.spawn do
            WorkerLoop.run(@coordinator, @slots, &:call)
          ensure
            @live -= 1
          end
        end
      end
    end
  end
end
