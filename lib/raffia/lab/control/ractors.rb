# frozen_string_literal: true

module Raffia
  module Lab
    # The same work in plain Ruby, as a program without Raffia does it.
    module Control
      # One Ractor.new for each worker, which gets its share of the items at the start.
      module Ractors
        # @param items [Array] shareable ones
        # @param workers [Integer]
        # @param work [Work]
        # @return [Array]
        def self.map(items, workers, work)
          share = items.size.ceildiv(workers)
          ractors = items.each_slice(share).map do |slice|
            Ractor.new(slice, work) { |mine, call| mine.map { |item| call.call(item) } }
          end
          ractors.flat_map { |ractor| value(ractor) }
        end

        # Ruby 4.0 renamed take.
        def self.value(ractor) = ractor.respond_to?(:value) ? ractor.value : ractor.take

        private_class_method :value
      end
    end
  end
end
