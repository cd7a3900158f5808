# frozen_string_literal: true

module Raffia
  module Simulation
    # The timers of a world, ordered by time, and by age at one time.
    #
    # @api private
    class Timers
      # Something that happens at a time: a candidate of the choices at its instant.
      class Timer
        attr_reader :at, :label
        attr_accessor :priority

        # +at+ in nanoseconds since the start; +label+: the thread that it belongs to, or a text.
        def initialize(timers, at, label, action)
          @timers = timers
          @at = at
          @label = label
          @action = action
          @over = false
        end

        def over? = @over

        # For the digest of the run.
        def code = @at

        def cancel
          @timers.due.delete(self) unless @over
          @over = true
        end

        def fire
          @over = true
          act
        end

        private

        def act = @action.call
      end

      # The end of a thread's wait.
      class WaitTimer < Timer
        def initialize(timers, at, scheduler, thread)
          super(timers, at, thread, nil)
          @scheduler = scheduler
        end

        private

        def act = @scheduler.wake(label, :timeout)
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

      # Ends the thread's wait after some seconds, by {ThreadScheduler#wake}.
      def add_timeout(seconds, scheduler, thread)
        insert(WaitTimer.new(self, @clock.after(seconds), scheduler, thread))
      end

      # Cancels those of a thread.
      def abandon(thread)
        (@list + @due).each { |timer| timer.cancel if timer.label.equal?(thread) }
      end

      # The next instant, nil without a timer.
      def next_at
        @list.shift while @list.first&.over?
        @list.first&.at
      end

      # Moves the clock to the next instant.
      def advance
        @clock.advance(next_at)
        while (first = @list.first) && first.at == @clock.now
          @list.shift
          @due << first unless first.over?
        end
      end

      def fire(timer)
        @due.delete(timer)
        timer.fire
      end

      private

      def insert(timer)
        at = timer.at
        if at == @clock.now
          @due << timer
        elsif @list.empty? || @list.last.at <= at
          @list << timer
        else
          @list.insert(@list.bsearch_index { |other| other.at > at }, timer)
        end
        timer
      end
    end
  end
end
