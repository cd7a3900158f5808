# frozen_string_literal: true

require_relative "hpack"

module TestSupport
  module HTTP2
    module HPACK
      # Decodes the blocks of one connection.
      class Decoder
        class Error < StandardError; end

        # @param limit [Integer] of the table's size, as the SETTINGS of this end say
        def initialize(limit = 4096)
          @limit = @size = limit
          @table = []
        end

        # @return [Array<Array(String, String)>]
        def decode(block)
          @bytes = block.bytes
          fields = []
          fields.push(*field(@bytes.first)) until @bytes.empty?
          fields
        end

        private

        def field(first)
          if first >= 0x80 then [entry(integer(7))]
          elsif first >= 0x40 then [literal(6).tap { |added| add(added) }]
          elsif first >= 0x20 then resize(integer(5))
          else [literal(4)]
          end
        end

        def literal(bits)
          index = integer(bits)
          [index.zero? ? string : entry(index).first, string].freeze
        end

        def entry(index)
          raise Error, "index 0" if index.zero?
          (STATIC[index - 1] || @table[index - 1 - STATIC.size]) or
            raise Error, "no entry #{index}"
        end

        def resize(size)
          raise Error, "a table of #{size} bytes" if size > @limit
          @size = size
          evict
          []
        end

        def add(field)
          @table.unshift(field)
          evict
        end

        def evict
          @table.pop while @table.sum { |name, value| name.bytesize + value.bytesize + 32 } > @size
        end

        def integer(bits)
          limit = (1 << bits) - 1
          value = next_byte & limit
          return value if value < limit

          shift = 0
          loop do
            byte = next_byte
            value += (byte & 127) << shift
            shift += 7
            return value if byte < 128
          end
        end

        def string
          huffman = @bytes.first.to_i >= 0x80
          length = integer(7)
          raise Error, "the block ends in a string" if length > @bytes.size
          text = @bytes.shift(length).pack("C*")
          huffman ? Huffman.decode(text) : text
        end

        def next_byte = @bytes.shift || raise(Error, "the block ends in an integer")
      end
    end
  end
end
