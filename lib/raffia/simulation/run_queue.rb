# frozen_string_literal: true

module Raffia
  module Simulation
    # Threads that can run, and timers that are due: the candidates of each choice.
    #
    # @api private
    class RunQueue
      # Choices so far.
      attr_reader :steps

      def initialize(world, timers)
        @world = world
        @decisions = world.decisions
        @clock = world.clock
        @trace = world.trace
        @max_steps = world.settings.max_steps
        @timers = timers
        @due = timers.due
        @ready = []
        @steps = @steps_at_once = 0
        @fair = false
      end

      def add(thread) = @ready << thread

      def remove(thread) = (@ready[0].equal?(thread) ? @ready.shift : @ready.delete(thread))

      def any? = !(@ready.empty? && @due.empty?)

      # Time went on, or a thread ended.
      def progress
        @steps_at_once = 0
        return unless @fair

        @fair = false
        @world.warnings << "no progress in #{@max_steps} steps at one instant, " \
          "but in more with threads in turns: only an unfair scheduler can cause this livelock"
      end

      # The thread that runs next; nil when there is none yet. +current+: the running one, if it can
      # go on.
      def take(current)
        candidates = @due.empty? ? @ready.dup : @ready + @due
        candidates.unshift(current) if current
        return @world.time.idle && nil if candidates.empty?

        chosen = candidates[(candidates.size == 1) ? 0 : choose(candidates, current)]
        return fire(chosen) if Timers::Timer === chosen

        remove(chosen) unless chosen.equal?(current)
        chosen
      end

      def count_step
        @steps += 1
        count_turn
      end

      # A program that takes too many turns at one instant may never make progress: as many again
      # are taken in order, because a scheduler that starves a thread proves nothing.
      def count_turn
        @steps_at_once += 1
        return if @steps_at_once <= @max_steps || @world.settings.ignore?(:livelocks)

        @fair = true
        @world.fail(livelock(@steps_at_once)) if @steps_at_once > @max_steps * 2
      end

      # Whether threads take turns, and no strategy chooses.
      def fair? = @fair

      private

      def choose(candidates, current)
        @steps += 1
        count_turn
        return in_turn(candidates, current) if @fair

        @decisions.pick(candidates, current ? true : false, @clock.now)
      end

      def fire(timer)
        @world.note(:timer, timer) if @trace
        @timers.fire(timer)
        @world.note(:fired) if @trace
        nil
      end

      def in_turn(candidates, current)
        candidates.index { |one| one.is_a?(Timers::Timer) } || (current ? 1 : 0)
      end

      def livelock(steps)
        places = [@world.running, *@ready].uniq.map do |thread|
          lines = Location.of_fiber(thread.fiber).map { |line| "\n      at #{line}" }
          "\n    #{thread.label} runs#{lines.join}"
        end
        Livelock.new("no progress in #{steps - 1} steps at one instant, the second half of them " \
          "in turns. A loop that waits for time must sleep, because the clock stands still while " \
          "threads run:#{places.join}")
      end
    end
  end
end
