# frozen_string_literal: true

require_relative "shrinker/candidate"

module Raffia
  module Simulation
    # Looks for a simpler run that fails for the same reason: fewer preemptions, then fewer choices
    # that differ from the default, smaller ones, and a shorter run.
    #
    # A failure is its set of choices that are not 0. Removing one may move all later ones, so each
    # run that fails is taken with the choices that it really made.
    #
    # @api private
    class Shrinker
      RUNS = 500
      SECONDS = 10
      # Runs that try one and two preemptions; replays of the result.
      SINGLE = 100
      TWO = 200
      REPLAYS = 3
      private_constant :RUNS, :SECONDS, :SINGLE, :TWO, :REPLAYS

      # Runs so far.
      attr_reader :runs

      # +run+: a Program::Run that failed; +identity+ of failures.
      def initialize(program, run, identity)
        @program = program
        @first = run
        @identity = identity
        @reason = identity.of(run.error)
        @best = Candidate.new(run)
        @runs = 0
        @tried = {}
      end

      # Returns the simplest Program::Run that was found.
      def call
        @limit = Clock.now + SECONDS
        remove_all
        nil while remove_subsets | remove_and_shift | move_preemptions | lower_values
        try_single_preemptions if @best.preemptions > 1
        try_two_preemptions if @best.preemptions > 2
        remove_pairs
        repeatable? ? @best.run : @first
      end

      private

      # Whether the run with these choices is simpler and fails for the same reason.
      def try(choices)
        choices = choices.reject { |index, value| value.zero? || index.negative? }
        return false if spent? || @tried[choices.hash]

        @tried[choices.hash] = true
        @runs += 1
        found = Candidate.new(@program.replay(@first.seed, dense(choices)))
        return false unless @identity.of(found.error) == @reason && found.simpler?(@best)

        @best = found
        true
      end

      def spent? = @runs >= RUNS || Clock.now > @limit

      def dense(choices)
        list = Array.new((choices.keys.max || -1) + 1, 0)
        choices.each { |index, value| list[index] = value }
        list
      end

      def remove_all = try({})

      # Delta debugging (Zeller and Hildebrandt 2002). Whether it found anything.
      def remove_subsets
        before = @best
        parts = 2
        while parts <= @best.indexes.size && !spent?
          if remove_one_of(parts)
            parts = [parts - 1, 2].max
          else
            break if parts == @best.indexes.size

            parts = [parts * 2, @best.indexes.size].min
          end
        end
        try({}) if @best.indexes.size == 1
        !@best.equal?(before)
      end

      # Later ones first: they disturb less of what follows.
      def remove_one_of(parts)
        indexes = @best.indexes
        indexes.each_slice((indexes.size + parts - 1) / parts).to_a.reverse
          .any? { |slice| try(@best.deviations.except(*slice)) }
      end

      # A choice that is left out moves the later ones.
      def remove_and_shift
        before = @best
        before.indexes.reverse_each do |index|
          earlier, later = before.deviations.except(index).partition { |other, _| other < index }
          [-1, 1, -2].any? do |shift|
            try((earlier + later.map { |other, value| [other + shift, value] }).to_h)
          end
          return true unless @best.equal?(before)
        end
        false
      end

      # To the choices before and after it at which the running thread waits anyway.
      def move_preemptions
        before = @best
        @best.run.preemptions.reverse_each do |index|
          value = @best.deviations[index] or next
          rest = @best.deviations.except(index)
          [index - 1, index + 1, index + 2].each do |place|
            try(rest.merge(place => value)) if place >= 0 && !rest.key?(place)
          end
        end
        !@best.equal?(before)
      end

      def lower_values
        before = @best
        @best.deviations.each do |index, value|
          (1...value).first(8).any? { |lower| try(@best.deviations.merge(index => lower)) } if
            value > 1 && @best.deviations[index] == value
        end
        !@best.equal?(before)
      end

      # Most bugs need one preemption, which may be another one than those that were found. The
      # second choice runs the thread whose timer was the first one.
      def try_single_preemptions
        @best.run.choices.size.times.first(SINGLE).any? do |index|
          try({index => 1}) || try({index => 1, index + 1 => 1})
        end
      end

      # At random places, the same ones for the same run.
      def try_two_preemptions
        random = ::Random.new(@first.seed)
        size = @best.run.choices.size
        TWO.times.any? do
          first, second = Array.new(2) { random.rand(size) }.minmax
          try({first => 1, second => 1 + random.rand(2)})
        end
      end

      def remove_pairs
        return if @best.indexes.size > 12

        @best.indexes.combination(2).any? { |pair| try(@best.deviations.except(*pair)) } &&
          remove_pairs
      end

      def repeatable?
        Array.new(REPLAYS) { @program.replay(@first.seed, @best.run.choices) }
          .all? { |run| run.digest == @best.run.digest && @identity.of(run.error) == @reason }
      end
    end
  end
end
