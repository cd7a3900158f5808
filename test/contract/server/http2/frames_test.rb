# frozen_string_literal: true

require_relative "http2_case"

# DATA, HEADERS, PRIORITY, RST_STREAM, PING, GOAWAY, CONTINUATION and error codes: RFC 7540 and
# 9113, sections 6 and 7.
class HTTP2FramesTest < HTTP2Case
  spec "http2/6.1/1", "DATA on stream 0 is a PROTOCOL_ERROR" do |client|
    client.write(data(0, "body"))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.1/2", "DATA on a stream that is not open is a STREAM_CLOSED",
    settings: {initial_window_size: 0} do |client|
    client.request(1)
    client.write(data(1, "body"))
    assert_stream_error(client, 1, :stream_closed)
  end

  spec "http2/6.1/3", "padding longer than DATA is a PROTOCOL_ERROR" do |client|
    open_stream(client)
    client.write(frame(:data, 1, "\x06Test", flags: %i[end_stream padded]))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.2/1", "PRIORITY before END_HEADERS is a PROTOCOL_ERROR" do |client|
    client.write(headers(1, block, flags: [:end_stream]), priority(1), continuation(1, block))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.2/2", "HEADERS of another stream before END_HEADERS are an error" do |client|
    client.write(headers(1, block, flags: [:end_stream]), headers(3, block),
      continuation(1, block))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.2/3", "HEADERS on stream 0 are a PROTOCOL_ERROR" do |client|
    client.write(headers(0, block))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.2/4", "padding longer than HEADERS is a PROTOCOL_ERROR" do |client|
    bytes = block
    client.write(frame(:headers, 1, [bytes.bytesize + 1].pack("C") << bytes,
      flags: %i[end_headers end_stream padded]))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.3/1", "PRIORITY on stream 0 is a PROTOCOL_ERROR" do |client|
    client.write(priority(0))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.3/2", "PRIORITY of another length is a FRAME_SIZE_ERROR" do |client|
    client.write(frame(:priority, 1, "\x80\x00\x00\x01"))
    assert_stream_error(client, 1, :frame_size_error)
  end

  spec "http2/6.4/1", "RST_STREAM on stream 0 is a PROTOCOL_ERROR" do |client|
    client.write(rst_stream(0))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.4/2", "RST_STREAM on an idle stream is a PROTOCOL_ERROR" do |client|
    client.write(rst_stream(1))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.4/3", "RST_STREAM of another length is a FRAME_SIZE_ERROR" do |client|
    open_stream(client)
    client.write(frame(:rst_stream, 1, "\0\0\0"))
    assert_connection_error(client, :frame_size_error)
  end

  spec "http2/6.7/1", "PING is answered with the same bytes" do |client|
    client.write(ping("raffia!?"))
    assert client.take(:ping) { |one| one.flag?(:ack) && one.payload == "raffia!?" }
  end

  spec "http2/6.7/2", "the acknowledgement of a PING is not answered" do |client|
    client.write(ping("answered", flags: [:ack]), ping("question"))
    assert_equal "question", client.take(:ping).payload
  end

  spec "http2/6.7/3", "PING on a stream is a PROTOCOL_ERROR" do |client|
    client.write(frame(:ping, 1, "raffia!?"))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.7/4", "PING of another length is a FRAME_SIZE_ERROR" do |client|
    client.write(ping("123456"))
    assert_connection_error(client, :frame_size_error)
  end

  spec "http2/6.8/1", "GOAWAY on a stream is a PROTOCOL_ERROR" do |client|
    client.write(frame(:goaway, 1, "\0" * 8))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.10/1", "several CONTINUATION are taken" do |client|
    client.write(headers(1, block, flags: [:end_stream]),
      continuation(1, [%w[x-a 1]], flags: []), continuation(1, [%w[x-b 2]]))
    assert_served(client, 1)
  end

  spec "http2/6.10/2", "another frame between CONTINUATION is a PROTOCOL_ERROR" do |client|
    client.write(headers(1, block, flags: [:end_stream]),
      continuation(1, [%w[x-a 1]], flags: []), data(1, "body"))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.10/3", "CONTINUATION on stream 0 is a PROTOCOL_ERROR" do |client|
    client.write(headers(1, block, flags: [:end_stream]), continuation(0, [%w[x-a 1]]))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.10/4", "CONTINUATION after HEADERS that were whole is an error" do |client|
    client.write(headers(1, block), continuation(1, [%w[x-a 1]]))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.10/5", "CONTINUATION after END_HEADERS is a PROTOCOL_ERROR" do |client|
    client.write(headers(1, block, flags: [:end_stream]), continuation(1, [%w[x-a 1]]),
      continuation(1, [%w[x-b 2]]))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.10/6", "CONTINUATION after DATA is a PROTOCOL_ERROR" do |client|
    open_stream(client)
    client.write(data(1, "body"), continuation(1, [%w[x-a 1]]))
    assert_connection_error(client, :protocol_error)
  end

  # The client goes, so the server may close once all is answered.
  spec "http2/7/1", "GOAWAY with an unknown code is no error" do |client|
    client.request(1)
    client.write(goaway(0, 0xff))
    assert_equal 200, client.response(1).status
    client.socket.close_write
    assert_includes [nil, :no_error], client.goaway_at_end&.error
  end

  spec "http2/7/2", "RST_STREAM with an unknown code is no error" do |client|
    open_stream(client)
    client.write(rst_stream(1, 0xff))
    assert_lives(client)
  end
end
