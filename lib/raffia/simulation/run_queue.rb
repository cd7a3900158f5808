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
        @timers = timers
        @ready = []
        @steps = @steps_at_once = 0
      end

      def add(thread) = @ready << thread

      def remove(thread) = (@ready[0].equal?(thread) ? @ready.shift : @ready.delete(thread))

      def any? = @ready.any? || @timers.due.any?

      # Time went on, or a thread ended.
      def progress = @steps_at_once = 0

      # The thread that runs next; nil when there is none yet. +current+: the running one, if it can
      # go on.
      def take(current)
        candidates = candidates(current)
        size = candidates.size
        return @world.idle && nil if size == 0

        chosen = candidates[(size == 1) ? 0 : choose(candidates, current)]
        return fire(chosen) if Timers::Timer === chosen

        remove(chosen) unless chosen.equal?(current)
        chosen
      end

      # A program that makes too many choices at one instant may never make progress.
      def count_step
        @steps += 1
        @steps_at_once += 1
        limit = @world.settings.max_steps
        return if @steps_at_once <= limit

        @world.fail(Livelock.new("no progress in #{limit} steps at one instant"))
      end

      private

      def choose(candidates, current)
        count_step
        @world.decisions.pick(candidates, current ? true : false, @world.clock.now)
      end

      def fire(timer)
        @world.note(:timer, timer)
        @timers.fire(timer)
        @world.note(:fired)
        nil
      end

      def candidates(current)
        due = @timers.due
        return due.empty? ? [current, *@ready] : [current, *@ready, *due] if current

        due.empty? ? @ready.dup : [*@ready, *due]
      end
    end
  end
end
