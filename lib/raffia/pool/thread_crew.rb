# frozen_string_literal: true

require_relative "../base/clock"
require_relative "../base/error"
require_relative "../task"
require_relative "driver"

module Raffia
  class Pool
    # Drivers in threads, started when there is work for them, and ended with the call.
    class ThreadCrew
      # Seconds that a thread gets to end after it was interrupted, before it is killed. The workers of :processes need
      # Process::Worker::GRACE of it.
      PATIENCE = 1

      # @param desk [Traversal, Pool]
      # @param workers [Integer] at most
      # @yieldreturn [Seat]
      def initialize(desk, workers, &seats)
        @desk = desk
        @workers = workers
        @seats = seats
        @started = 0
        @threads = []
        @stopped = false
        @lock = Thread::Mutex.new
      end

      # @return [Integer] how many drivers were started
      def size = @started

      # Run the block, and leave no thread behind, however it ends.
      def open
        yield
      ensure
        Raffia.shield { stop }
      end

      # @param count [Integer] of drivers
      # @return [void]
      def start(count) = count.times { add }

      # Start one more driver if the work that waits asks for it.
      # @param feed [QueueFeed]
      # @return [void]
      def grow(feed)
        add if @started < @workers && feed.crowded?
      end

      # End them all: {Cancel} is raised inside the work, so its +ensure+ blocks run. A thread that takes no notice is killed,
      # and waited for: a call into C that cannot be interrupted is the one thing that holds this up.
      # @return [void]
      def stop
        threads = @lock.synchronize do
          @stopped = true
          @threads
        end
        threads.each { |thread| thread.raise(Cancel.new(:pool_stopped)) }
        give_up = Clock.now + PATIENCE
        threads.each { |thread| join(thread, [give_up - Clock.now, 0].max) }
      ensure
        threads&.each(&:kill)&.each { |thread| join(thread, nil) }
      end

      private

      def add
        @started += 1
        Thread.new { work if enter }
      end

      # A thread enters itself: an interruption of the caller between the birth of a thread and its entry would lose it.
      def enter
        thread = Thread.current
        thread.name = "raffia worker #{@started}"
        thread.report_on_exception = false
        @lock.synchronize { @threads << thread unless @stopped }
      end

      def work
        # A seat may be a process: whoever has begun to take it must know that he has it before he can be stopped.
        Thread.handle_interrupt(Cancel => :never) do
          Driver.run(@desk, @seats) { |serve| Thread.handle_interrupt(Cancel => :immediate, &serve) }
        end
      rescue Cancel
        nil
      end

      def join(thread, seconds)
        thread.join(seconds)
      rescue Cancel
        nil # it was on its last steps when it was interrupted
      end
    end
  end
end
