# frozen_string_literal: true

require_relative "decisions/divergence"

module Raffia
  module Simulation
    # The choices of one run, drawn by a strategy or taken from a schedule, and recorded.
    #
    # Each choice is an index below a count; 0 is the default. A fingerprint of 16 bits goes with
    # it: a replay compares them, and so finds the first choice at which the program took another
    # way.
    #
    # @api private
    class Decisions
      MASK = 0xffff_ffff
      private_constant :MASK

      # The choices, and 16 bits that describe each. `preemptions`: the choices that
      # switched away from a thread that could go on.
      attr_reader :choices, :prints, :preemptions
      # A digest of all choices so far, with their instants: equal for equal runs.
      attr_reader :digest

      # +replay+: choices that are taken first; the default follows. +prints+: their fingerprints;
      # nil: a choice that does not fit becomes the default.
      def initialize(strategy, replay: nil, prints: nil)
        @strategy = strategy
        @replay = replay
        @expected = prints
        @choices = []
        @prints = []
        @preemptions = []
        @digest = 0
      end

      # Calls the block with the error at the first choice that does not fit `prints`. A raise here
      # could be rescued by the program.
      def on_divergence(&block) = @on_divergence = block

      # Index of the thread or timer that goes next. +preempts+: the first one is running.
      def pick(candidates, preempts, now)
        index = @replay ? replayed(candidates.size) : @strategy.pick(candidates, preempts)
        if preempts && index.positive? && candidates[index].is_a?(SimulatedThread)
          @preemptions << @choices.size
        end
        record(index, candidates.size, now + candidates[index].code, candidates)
        index
      end

      # An index below `count`; 0 is the simplest.
      def choose(count, now)
        index = @replay ? replayed(count) : @strategy.choose(count)
        record(index, count, now)
        index
      end

      # Whether something happens that has this probability.
      def flip(probability, now)
        happens = @replay ? replayed(2) == 1 : @strategy.flip(probability)
        record(happens ? 1 : 0, 2, now)
        happens
      end

      # A thread passes: it waits for others without a wait.
      def lower(candidate)
        @strategy.lower(candidate) if !@replay && @strategy.respond_to?(:lower)
      end

      # Adds to the digest what no choice shows.
      def note(value) = @digest = (@digest * 16_777_619 + value) & MASK

      private

      def record(index, count, code, candidates = nil)
        @digest = digest = (@digest * 16_777_619 + code * 31 + index) & MASK
        print = (digest + (digest >> 16) + count) & 0xffff
        check(index, count, print, candidates) if @expected
        @choices << index
        @prints << print
      end

      def replayed(count)
        index = @replay[@choices.size] || 0
        (index < count) ? index : 0
      end

      def check(index, count, print, candidates)
        position = @choices.size
        expected = @expected[position]
        return if expected == print && index == @replay[position]

        replay = @replay
        @expected = nil
        @on_divergence&.call(
          Divergence.new(position, replay, expected, count, print, candidates).error
        )
      end
    end
  end
end
