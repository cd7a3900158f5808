# frozen_string_literal: true

require_relative "http2_case"

# Errors of header compression: RFC 7541.
class HTTP2HPACKTest < HTTP2Case
  # @param bytes [String] added to a header block that is valid
  def self.compression_error(number, says, bytes)
    spec(number, says) do |client|
      client.write(headers(1, block + bytes))
      assert_connection_error(client, :compression_error)
    end
  end

  hpack = TestSupport::HTTP2::HPACK
  huffman = TestSupport::HTTP2::Huffman
  padded = ->(**options) { "\0".b << hpack.string("x-test") << hpack.encoded(options[:value]) }

  compression_error "hpack/2.3.3/1", "an index beyond both tables", hpack.indexed(70)
  compression_error "hpack/2.3.3/2", "a name's index beyond both tables", hpack.literal(70, "x")
  compression_error "hpack/4.2/1", "a change of the table's size at the end", hpack.size_update(1)
  compression_error "hpack/5.2/1", "padding of more than 7 bits",
    padded.call(value: huffman.encode("ok") << 0xff << 0xff)
  compression_error "hpack/5.2/2", "padding with zeros",
    padded.call(value: huffman.encode("o", padding: "0" * 7))
  compression_error "hpack/5.2/3", "a string that has EOS",
    padded.call(value: huffman.encode("o", more: [huffman::EOS]))
  compression_error "hpack/6.1/1", "index 0", hpack.indexed(0)
  compression_error "hpack/5.1/1", "an integer without an end", "\xff".b << "\x80".b * 20 << "\x01"
  compression_error "hpack/5.2/4", "a string longer than the block",
    "\0".b << hpack.integer(99, 7, 0)

  # It comes first in a block, where it is allowed.
  spec "hpack/6.3/1", "a table over the limit" do |client|
    client.write(headers(1, HPACK.size_update(4097) << block))
    assert_connection_error(client, :compression_error)
  end

  # The limit that the client sets is of the server's table.
  spec "hpack/6.3/2", "a table over the limit of the client",
    settings: {header_table_size: 0} do |client|
    client.write(headers(1, HPACK.size_update(4096) << block))
    assert_served(client, 1)
  end
end
