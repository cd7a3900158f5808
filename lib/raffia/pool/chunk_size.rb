# frozen_string_literal: true

module Raffia
  class Pool
    # The number of items that a worker takes at once: enough that the transport costs little beside
    # the work, and few enough that the workers end together. It starts at one, measures, and
    # follows.
    #
    # Workers use it without a lock: a lost measurement does no harm.
    #
    # @api private
    class ChunkSize
      MOST = 65_536
      # Growth of the next chunk over the measured one: the first items may not be typical.
      GROWTH = 8
      # Seconds to wake another worker and to hear of it, roughly.
      WAKE_UP = 0.000_1

      attr_reader :now

      # `target`: seconds of work that a chunk should hold; 0 means one item always.
      def initialize(fixed, target:)
        @per_item = nil
        @most = MOST
        aim(fixed, target: target)
      end

      def aim(fixed, target:)
        @target = target
        @fixed = fixed || (target.zero? ? 1 : nil)
        @fixed &&= [@fixed, @most].min
        @now = @fixed || (@per_item ? wanted : 1)
      end

      def at_most(count)
        @most = count
        @fixed &&= [@fixed, count].min
        @now = [@now, count].min
      end

      def learn(count, seconds)
        return if @fixed || count.zero?

        measured = seconds / count
        # Halfway to the new value: one odd item does not turn it around.
        @per_item = @per_item ? (@per_item + measured) / 2 : measured
        @now = [wanted, count * GROWTH].min
      end

      # Whether so many are done sooner than another worker is woken.
      def brief?(count) = !@fixed && !@per_item.nil? && @per_item * count < WAKE_UP

      # Whether a worker should have the next chunk before it has finished this one.
      def send_ahead?(seconds) = @per_item.nil? ? false : @per_item * @now < seconds

      private

      def wanted = (@per_item.positive? ? @target / @per_item : @most).clamp(1, @most).to_i
    end
  end
end
