# frozen_string_literal: true

module Raffia
  class Pool
    # The items of a call. Workers read Arrays and ranges of whole numbers by position, and a forked
    # child has them already. The caller reads everything else item by item, within the limit.
    #
    # @api private
    module Input
      def self.of(items)
        case items
        when Array then IndexedItems.new(items)
        when Range then Span.over(items) || stream(items)
        else stream(items)
        end
      end

      def self.stream(items)
        return Stream.new(items) if items.respond_to?(:each)

        raise ConfigError, "#{items.class} is not a collection: give an Array, a Range or " \
          "anything else that has #each"
      end
      private_class_method :stream

      # An Array as it is when the call begins: Ruby copies it when the block changes it.
      class IndexedItems
        attr_reader :size

        def initialize(items)
          @items = items.frozen? ? items : items[0, items.size]
          @size = @items.size
        end

        def indexed? = true
        def slice(first, count) = @items[first, count]
        def at(index) = @items[index]

        # The input for a Ractor; nil where its items have to be copied.
        def shareable = (Ractor.make_shareable(self) if Ractor.shareable?(@items))
      end

      class Span
        attr_reader :size

        def self.over(range)
          new(range) if range.begin.is_a?(Integer) && (range.end.nil? || range.end.is_a?(Numeric))
        end

        def initialize(range)
          @from = range.begin
          @size = range.size
          freeze
        end

        def indexed? = true
        def slice(first, count) = (@from + first)...(@from + first + count)
        def at(index) = @from + index
        def shareable = self
      end

      # Anything else that has +each+; it may be endless.
      class Stream
        def initialize(items)
          @items = items
        end

        def indexed? = false

        # nil when it is not known without reading it.
        def size
          # A file's size is in bytes, and its items are lines.
          size = @items.size if @items.respond_to?(:size) && !@items.respond_to?(:gets)
          size if size.is_a?(Integer)
        end

        # Several yielded values are one item, an Array, like in Enumerable.
        def each
          @items.each { |*values| yield((values.size > 1) ? values : values.first) }
        end

        def shareable = nil
      end
    end
  end
end
