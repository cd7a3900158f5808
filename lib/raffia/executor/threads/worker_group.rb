# frozen_string_literal: true

require_relative "../worker_loop"

module Raffia
  module Executor
    module Threads
      # Worker loops in threads, started as work comes, and ended with the group.
      class WorkerGroup
        # Seconds that an interrupted thread gets to end, before it is killed. Process workers need
        # Process::Worker::GRACE of it.
        GRACE = 1

        def self.threads? = true

        def initialize(coordinator, capacity, &slots)
          @coordinator = coordinator
          @capacity = capacity
          @slots = slots
          @size = 0
          @live = 0 # those that may still take work
          @present = 0 # those that have not quite ended
          @departed = Thread::ConditionVariable.new
          @threads = {}.compare_by_identity
          @stopped = false
          @lock = Thread::Mutex.new
        end

        attr_reader :size

        def open
          yield
        ensure
          Raffia.shield { stop } if @present.positive?
        end

        def start(count) = count.times { add }

        def grow(feed)
          add if wanted?(feed)
        end

        def wanted?(feed) = @live < @capacity && feed.crowded?

        def spread(_feed) = nil

        # Whether all have ended by themselves within so many seconds.
        def join(timeout = nil)
          give_up = timeout && Clock.now + timeout
          @lock.synchronize do
            while @present.positive?
              left = give_up && give_up - Clock.now
              return false if left && left <= 0

              @departed.wait(@lock, left)
            end
          end
          true
        end

        # Ends them all: {Cancel} is raised inside the work, so its +ensure+ blocks run. A thread
        # that ignores it is killed, and waited for: only a call into C that cannot be interrupted
        # holds this up.
        def stop(reason = :pool_stopped)
          threads = @lock.synchronize do
            @stopped = true
            @threads.keys - [Thread.current] # one that stops its own group ends by itself
          end
          threads.each { |thread| thread.raise(Cancel.new(reason)) }
          give_up = Clock.now + GRACE
          threads.each { |thread| await_end(thread, [give_up - Clock.now, 0].max) }
        ensure
          threads&.each(&:kill)&.each { |thread| await_end(thread, nil) }
        end

        private

        def add
          return unless count(1)

          spawn do
            work if enter
          ensure
            leave
          end
        rescue ThreadError
          # The system gives no more: those that there are go on.
          count(-1)
          raise if @size.zero?
        end

        def count(change)
          @lock.synchronize do
            return false if change.positive? && @live >= @capacity

            @size += change
            @live += change
            @present += change
            true
          end
        end

        def spawn(&) = Thread.new(&)

        # A thread enters itself: an interrupt of the caller between start and entry would lose it.
        def enter
          thread = Thread.current
          thread.name = "raffia worker #{@size}"
          thread.report_on_exception = false
          @lock.synchronize { @threads[thread] = true unless @stopped }
        end

        def leave
          @lock.synchronize { @live -= 1 }
          @coordinator.thread_ended
        ensure
          @lock.synchronize do
            @threads.delete(Thread.current)
            @present -= 1
            @departed.broadcast
          end
        end

        def work
          # A slot may be a process, which an interrupt while it starts would lose.
          Thread.handle_interrupt(Cancel => :never) do
            WorkerLoop.run(@coordinator, @slots) do |serve|
              Thread.handle_interrupt(Cancel => :immediate, &serve)
            end
          end
        rescue Cancel
          nil
        end

        def await_end(thread, seconds)
          thread.join(seconds)
        rescue Cancel
          nil # it was on its last steps when it was interrupted
        end
      end
    end
  end
end
