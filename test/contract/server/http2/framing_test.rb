# frozen_string_literal: true

require_relative "http2_case"

# Preface, frames, header blocks: RFC 7540 and 9113, sections 3 and 4.
class HTTP2FramingTest < HTTP2Case
  spec "http2/3.5/1", "the preface is answered by SETTINGS", settings: nil do |client|
    client.write(PREFACE, settings)
    first = client.take
    assert_equal [:settings, false], [first.type, first.flag?(:ack)]
    assert client.take(:settings) { |frame| frame.flag?(:ack) }
    assert_lives(client)
  end

  # HTTP/1 takes the connection over, or it ends with or without GOAWAY.
  spec "http2/3.5/2", "a wrong preface ends the connection", settings: nil do |client|
    client.write("INVALID CONNECTION PREFACE\r\n\r\n")
    client.socket.timeout = FrameSocket::PATIENCE
    refute_includes client.socket.read.to_s, PREFACE
  end

  spec "http2/3.5/3", "a preface without SETTINGS is a PROTOCOL_ERROR", settings: nil do |client|
    client.write(PREFACE, ping)
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/4.1/1", "an unknown type is ignored" do |client|
    client.write(frame(0x16, 0, "12345678"), frame(0x16, 1, "", flags: 0xff))
    assert_lives(client)
  end

  spec "http2/4.1/2", "an undefined flag is ignored" do |client|
    client.write(frame(:ping, 0, "12345678", flags: 0x16))
    assert client.take(:ping) { |one| one.payload == "12345678" }
    assert_lives(client)
  end

  spec "http2/4.1/3", "the reserved bit is ignored" do |client|
    client.write(frame(:ping, 1 << 31, "12345678"))
    assert client.take(:ping) { |one| one.payload == "12345678" }
    assert_lives(client)
  end

  spec "http2/4.2/1", "DATA of 2^14 bytes is taken" do |client|
    open_stream(client)
    client.write(data(1, "x" * 16_384))
    assert_served(client, 1)
  end

  spec "http2/4.2/2", "longer DATA is a FRAME_SIZE_ERROR" do |client|
    open_stream(client)
    client.write(data(1, "x" * 16_385))
    assert_stream_error(client, 1, :frame_size_error)
  end

  spec "http2/4.2/3", "longer HEADERS are a FRAME_SIZE_ERROR of the connection" do |client|
    client.write(headers(1, block(Array.new(5) { |n| ["x-#{n}", "x" * 4096] })))
    assert_connection_error(client, :frame_size_error)
  end

  spec "http2/4.3/1", "a header block that ends too early is a COMPRESSION_ERROR" do |client|
    client.write(headers(1, [0x40].pack("C")))
    assert_connection_error(client, :compression_error)
  end

  spec "http2/4.3/2", "PRIORITY in a header block is a PROTOCOL_ERROR" do |client|
    client.write(headers(1, block, flags: [:end_stream]), priority(1), continuation(1, "".b))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/4.3/3", "HEADERS of another stream in a block are a PROTOCOL_ERROR" do |client|
    client.write(headers(1, block, flags: [:end_stream]), headers(3, block))
    assert_connection_error(client, :protocol_error)
  end
end
