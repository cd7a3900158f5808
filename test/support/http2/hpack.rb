# frozen_string_literal: true

require_relative "huffman"

module TestSupport
  module HTTP2
    # HPACK (RFC 7541): each form by its own method, so that tests choose it.
    module HPACK
      STATIC = %w[
        :authority :method=GET :method=POST :path=/ :path=/index.html :scheme=http :scheme=https
        :status=200 :status=204 :status=206 :status=304 :status=400 :status=404 :status=500
        accept-charset accept-encoding=gzip,\ deflate accept-language accept-ranges accept
        access-control-allow-origin age allow authorization cache-control content-disposition
        content-encoding content-language content-length content-location content-range content-type
        cookie date etag expect expires from host if-match if-modified-since if-none-match if-range
        if-unmodified-since last-modified link location max-forwards proxy-authenticate
        proxy-authorization range referer refresh retry-after server set-cookie
        strict-transport-security transfer-encoding user-agent vary via www-authenticate
      ].map { |entry| [entry[/[^=]+/], entry[/=(.*)/, 1].to_s].freeze }.freeze
      # First byte's pattern, and how many bits of it the index has.
      FORMS = {incremental: [0x40, 6], without: [0x00, 4], never: [0x10, 4]}.freeze

      module_function

      # @param fields [Array<Array(String, String)>]
      # @return [String] a block that changes no table: literals without indexing
      def encode(fields) = fields.map { |name, value| literal(name, value) }.join.b

      def indexed(index) = integer(index, 7, 0x80)

      # @param name [String, Integer] an Integer is the index of a name
      # @param form [Symbol] of FORMS
      def literal(name, value, form: :without, huffman: false)
        pattern, bits = FORMS.fetch(form)
        if name.is_a?(Integer)
          integer(name, bits, pattern) << string(value, huffman:)
        else
          integer(0, bits, pattern) << string(name, huffman:) << string(value, huffman:)
        end
      end

      def size_update(size) = integer(size, 5, 0x20)

      # @return [String] a string literal
      def string(text, huffman: false)
        return encoded(Huffman.encode(text)) if huffman

        integer(text.bytesize, 7, 0) << text.b
      end

      # @param bytes [String] of the Huffman code, perhaps malformed
      def encoded(bytes) = integer(bytes.bytesize, 7, 0x80) << bytes.b

      def integer(value, bits, pattern)
        limit = (1 << bits) - 1
        return [pattern | value].pack("C") if value < limit

        bytes = [pattern | limit]
        value -= limit
        while value > 127
          bytes << (value & 127 | 128)
          value >>= 7
        end
        (bytes << value).pack("C*")
      end
    end
  end
end
