# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "../../base/error"
require_relative "../../task"
require_relative "driver"

module Raffia
  class Pool
    # Drivers in threads, started when there is work for them, and ended with the call.
    #
    # @api private
    class ThreadCrew
      # Seconds that a thread gets to end after it was interrupted, before it is killed. The workers
      # of :processes need Process::Worker::GRACE of it.
      PATIENCE = 1

      # @param desk [Traversal, Pool]
      # @param workers [Integer] at most
      # @yieldreturn [Seat]
      def initialize(desk, workers, &seats)
        @desk = desk
        @workers = workers
        @seats = seats
        @started = 0
        @live = 0 # those that may still take work
        @present = 0 # those that have not quite ended
        @gone = Thread::ConditionVariable.new
        @threads = {}.compare_by_identity
        @stopped = false
        @lock = Thread::Mutex.new
      end

      # @return [Integer] how many drivers were started
      def size = @started

      # Run the block, and leave no thread behind, however it ends.
      def open
        yield
      ensure
        Raffia.shield { stop } if @present.positive?
      end

      # @param count [Integer] of drivers
      # @return [void]
      def start(count) = count.times { add }

      # Start one more driver if the work that waits asks for it.
      # @param feed [QueueFeed]
      # @return [void]
      def grow(feed)
        add if wanted?(feed)
      end

      # @return [Boolean] whether one more driver would have something to do
      def wanted?(feed) = @live < @workers && feed.crowded?

      # Wait until all have ended by themselves.
      # @param timeout [Numeric, nil] seconds
      # @return [Boolean] whether they have
      def join(timeout = nil)
        give_up = timeout && Clock.now + timeout
        @lock.synchronize do
          while @present.positive?
            left = give_up && give_up - Clock.now
            return false if left && left <= 0

            @gone.wait(@lock, left)
          end
        end
        true
      end

      # End them all: {Cancel} is raised inside the work, so its +ensure+ blocks run. A thread that
      # takes no notice is killed, and waited for: a call into C that cannot be interrupted is the
      # one thing that holds this up.
      # @param reason [Symbol] what the work finds in the Cancel
      # @return [void]
      def stop(reason = :pool_stopped)
        threads = @lock.synchronize do
          @stopped = true
          @threads.keys - [Thread.current] # who stops his own crew ends when he is through
        end
        threads.each { |thread| thread.raise(Cancel.new(reason)) }
        give_up = Clock.now + PATIENCE
        threads.each { |thread| see_off(thread, [give_up - Clock.now, 0].max) }
      ensure
        threads&.each(&:kill)&.each { |thread| see_off(thread, nil) }
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
        # The system gives us no more: go on with those that there are.
        count(-1)
        raise if @started.zero?
      end

      # @return [Boolean] whether there may be one more
      def count(change)
        @lock.synchronize do
          return false if change.positive? && @live >= @workers

          @started += change
          @live += change
          @present += change
          true
        end
      end

      def spawn(&) = Thread.new(&)

      # A thread enters itself: an interruption of the caller between the birth of a thread and its
      # entry would lose it.
      def enter
        thread = Thread.current
        thread.name = "raffia worker #{@started}"
        thread.report_on_exception = false
        @lock.synchronize { @threads[thread] = true unless @stopped }
      end

      def leave
        @lock.synchronize { @live -= 1 }
        @desk.vacant
      ensure
        @lock.synchronize do
          @threads.delete(Thread.current)
          @present -= 1
          @gone.broadcast
        end
      end

      def work
        # A seat may be a process: whoever has begun to take it must know that he has it before he
        # can be stopped.
        Thread.handle_interrupt(Cancel => :never) do
          Driver.run(@desk, @seats) do |serve|
            Thread.handle_interrupt(Cancel => :immediate, &serve)
          end
        end
      rescue Cancel
        nil
      end

      def see_off(thread, seconds)
        thread.join(seconds)
      rescue Cancel
        nil # it was on its last steps when it was interrupted
      end
    end
  end
end
