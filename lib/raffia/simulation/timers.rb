# frozen_string_literal: true

module Raffia
  module Simulation
    # The timers of a world, ordered by time, and by age at one time.
    #
    # @api private
    class Timers
      # Something that happens at a time: a candidate of the choices at its instant.
      class Timer
        attr_reader :at, :label, :over
        attr_accessor :priority
        alias_method :over?, :over
        # For the digest of the run.
        alias_method :code, :at

        # +at+ in nanoseconds since the start; +label+: the thread that it belongs to, or a text.
        def initialize(timers, at, label, action)
          @timers = timers
          @at = at
          @label = label
          @action = action
          @over = false
        end

        def cancel
          @timers.due.delete(self) unless @over
          @over = true
        end

        def fire
          @over = true
          @action.call
        end
      end

      # The end of a thread's wait.
      class WaitTimer < Timer
        def fire
          @over = true
          @label.world.thread_scheduler.wake(@label, :timeout)
        end
      end
      private_constant :WaitTimer

      # Those whose time has come and that have not been chosen yet.
      attr_reader :due

      def initialize(clock)
        @clock = clock
        @list = []
        @due = []
      end

      # Calls the block after some seconds.
      def add(seconds, label, &action)
        insert(Timer.new(self, @clock.after(seconds), label, action))
      end

      # Ends the thread's wait after some seconds.
      def add_timeout(seconds, thread)
        insert(WaitTimer.new(self, @clock.after(seconds), thread, nil))
      end

      # Cancels those of a thread.
      def abandon(thread)
        (@list + @due).each { |timer| timer.cancel if timer.label.equal?(thread) }
      end

      # The next instant, nil without a timer.
      def next_at
        @list.shift while @list[0]&.over
        @list[0]&.at
      end

      # Moves the clock to the next instant.
      def advance
        @clock.advance(now = next_at)
        while (first = @list[0]) && first.at == now
          @list.shift
          @due << first unless first.over
        end
      end

      def fire(timer)
        @due[0].equal?(timer) ? @due.shift : @due.delete(timer)
        timer.fire
      end

      private

      def insert(timer)
        at = timer.at
        if at == @clock.now
          @due << timer
        elsif @list.empty? || @list[-1].at <= at
          @list << timer
        else
          @list.insert(@list.bsearch_index { |other| other.at > at }, timer)
        end
        timer
      end
    end
  end
end
