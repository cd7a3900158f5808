# frozen_string_literal: true

module TestSupport
  module HTTP2
    # HPACK's Huffman code (RFC 7541, appendix B). It is canonical, so the lengths define it.
    module Huffman
      EOS = 256
      LENGTHS = %w[
        13 23 28 28 28 28 28 28 28 24 30 28 28 30 28 28 28 28 28 28 28 28 30 28 28 28 28 28 28 28
        28 28 6 10 10 12 13 6 8 11 10 10 8 11 8 6 6 6 5 5 5 6 6 6 6 6 6 6 7 8 15 6 12 10 13 6 7 7
        7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 8 7 8 13 19 13 14 6 15 5 6 5 6 5 6 6 6 5 7 7 6 6 6
        5 6 7 6 5 5 6 7 7 7 7 7 15 11 14 13 28 20 22 20 20 22 22 22 23 22 23 23 23 23 23 24 23 24
        24 22 23 24 23 23 23 23 21 22 23 22 23 23 24 22 21 20 22 22 23 23 21 23 22 22 24 21 22 23
        23 21 21 22 21 23 22 23 23 20 22 22 22 23 22 22 23 26 26 20 19 22 23 22 25 26 26 26 27 27
        26 24 25 19 21 26 27 27 26 27 24 21 21 26 26 28 27 27 27 20 24 20 21 22 21 21 23 22 22 25
        25 24 24 26 23 26 27 26 26 27 27 27 27 27 28 27 27 27 27 27 26 30
      ].map { |length| Integer(length) }.freeze
      # Symbol => bits as text.
      CODES = LENGTHS.each_index.sort_by { |symbol| [LENGTHS[symbol], symbol] }
        .each_with_object({}) { |symbol, codes|
          length = LENGTHS[symbol]
          last = codes.values.last
          code = last ? (last.to_i(2) + 1) << (length - last.size) : 0
          codes[symbol] = code.to_s(2).rjust(length, "0").freeze
        }.freeze
      SYMBOLS = CODES.invert.freeze

      class Error < StandardError; end

      module_function

      # @param padding [String] bits after the last symbol, to be cut at the end of its byte
      # @param more [Array<Integer>] symbols to add, such as EOS
      def encode(text, padding: "1" * 7, more: [])
        bits = [*text.bytes, *more].map { |symbol| CODES[symbol] }.join
        [bits + padding[0, -bits.size % 8]].pack("B*")
      end

      def decode(bytes)
        text = "".b
        code = +""
        bytes.unpack1("B*").each_char do |bit|
          symbol = SYMBOLS[code << bit] or next
          raise Error, "EOS in a string" if symbol == EOS
          text << symbol
          code.clear
        end
        raise Error, "bad padding #{code}" unless code.match?(/\A1{0,7}\z/)
        text
      end
    end
  end
end
