# frozen_string_literal: true

module Raffia
  class Pool
    # Some neighbouring items of an input, on their way through a worker.
    #
    # @api private
    class Chunk
      # @return [Integer] the index of the first item
      attr_reader :first
      # @return [Integer] how many items
      attr_reader :size

      # @param source [#slice, nil] an indexed input, when the items are not given
      def initialize(first, size, source: nil, items: nil)
        @first = first
        @size = size
        @source = source
        @items = items
      end

      def items = @items || @source.slice(@first, @size)

      # @param index [Integer] counted from the start of the input
      def at(index) = @items ? @items[index - @first] : @source.at(index)
      def cover?(index) = index >= @first && index < @first + @size

      # @param first [Integer] the index of the first item
      # @return [Chunk] some of the items, which may be tried again by themselves
      def part(first, size)
        Chunk.new(first, size, source: @source, items: @items && @items[first - @first, size])
      end

      # Whether a worker that has the input needs only the numbers.
      def indexed? = @items.nil?
    end
  end
end
