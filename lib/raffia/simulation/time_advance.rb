# frozen_string_literal: true

module Raffia
  module Simulation
    # Moves the clock to the next event when nothing can run: next-event time advance, as simulators
    # call it.
    #
    # @api private
    class TimeAdvance
      # Objects whose `poll` makes threads ready, and tells whether it did.
      attr_reader :pollers

      def initialize(world, timers)
        @world = world
        @timers = timers
        @pollers = [world.interest]
        @settling = []
      end

      # Nothing can run now: descriptors are polled, then those go on that wait for this moment,
      # then time moves to the next timer.
      def idle
        return if poll
        return wake_settling if @settling.any?
        return @world.finish unless @world.main_thread.alive?

        at = @timers.next_at or return @world.fail(deadlock)
        within_limit?(at) ? go_on : @world.fail(limit_reached)
      end

      # The process stands still until the next timer is due.
      def pause
        at = @timers.next_at or return
        go_on if within_limit?(at) && @world.faults.happens?(:pause)
      end

      # Waits until nothing else can run without time going on.
      def settle
        @settling << (thread = @world.running)
        @world.thread_scheduler.suspend(:settle)
      ensure
        @settling.delete(thread)
      end

      private

      # All of them, so that none waits longer for its turn than others.
      def poll
        found = false
        @pollers.each { |poller| found = true if poller.poll }
        found
      end

      def wake_settling
        @settling.dup.each { |thread| @world.thread_scheduler.wake(thread, :woken) }
        @settling.clear
      end

      def go_on
        @world.thread_scheduler.progress
        @timers.advance
      end

      def limit = @world.settings.virtual_limit

      def within_limit?(time) = limit.nil? || time <= limit * VirtualClock::SECOND

      def limit_reached
        LimitReached.new("the run has come to its virtual_limit of #{limit} s, and has not " \
          "ended:#{WaitReport.new(@world)}")
      end

      def deadlock = Deadlock.new("no thread can ever continue:#{WaitReport.new(@world)}")
    end
  end
end
