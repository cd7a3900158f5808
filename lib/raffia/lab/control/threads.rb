# frozen_string_literal: true

module Raffia
  module Lab
    module Control
      # One Thread.new for each item, all at once: the loop that everybody writes first.
      module Threads
        # @param items [Array]
        # @param _workers [Integer] there is no bound here, which is the point
        # @param work [Work]
        # @return [Array]
        # @raise [ThreadError] when the system gives no further thread
        def self.map(items, _workers, work)
          items.map { |item| Thread.new { work.call(item) } }.map(&:value)
        end
      end
    end
  end
end
