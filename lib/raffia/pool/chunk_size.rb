# frozen_string_literal: true

module Raffia
  class Pool
    # How many items a worker takes at once. Enough that handing them over costs little beside the
    # work, and few enough that the workers end together: it starts at one item, measures, and
    # follows.
    #
    # Several workers read and teach it without a lock: a lost lesson does no harm.
    #
    # @api private
    class ChunkSize
      MOST = 65_536
      # How much longer the next chunk may be than the one that was measured: the first items may
      # not be typical.
      GROWTH = 8
      # Seconds that it takes to wake another worker and to hear of it, roughly.
      HAND_OVER = 0.000_1

      # @return [Integer]
      attr_reader :now

      # @param fixed [Integer, nil] what the caller wants
      # @param target [Float] seconds of work that a chunk should hold; 0 means one item always
      def initialize(fixed, target:)
        @per_item = nil
        @most = MOST
        aim(fixed, target: target)
      end

      # Go by other wishes from now on, with what was learned so far.
      # @param fixed (see #initialize)
      # @param target (see #initialize)
      # @return [void]
      def aim(fixed, target:)
        @target = target
        @fixed = fixed || (target.zero? ? 1 : nil)
        @fixed &&= [@fixed, @most].min
        @now = @fixed || (@per_item ? wanted : 1)
      end

      # Never more than so many from now on, whoever wants more.
      # @param count [Integer]
      # @return [void]
      def at_most(count)
        @most = count
        @fixed &&= [@fixed, count].min
        @now = [@now, count].min
      end

      # @param count [Integer] items that were worked on
      # @param seconds [Float] how long it took
      # @return [void]
      def learn(count, seconds)
        return if @fixed || count.zero?

        measured = seconds / count
        # Halfway to the new value: one odd item does not turn it around.
        @per_item = @per_item ? (@per_item + measured) / 2 : measured
        @now = [wanted, count * GROWTH].min
      end

      # Whether so many are done in less time than it takes to hand something over.
      # @param count [Integer] of items
      def brief?(count) = !@fixed && !@per_item.nil? && @per_item * count < HAND_OVER

      # Whether what is under way per worker is so short that it should already hold the next chunk
      # when it is through.
      # @param seconds [Float] the length of a hand-over that does not matter
      def hand_ahead?(seconds) = @per_item.nil? ? false : @per_item * @now < seconds

      private

      def wanted = (@per_item.positive? ? @target / @per_item : @most).clamp(1, @most).to_i
    end
  end
end
