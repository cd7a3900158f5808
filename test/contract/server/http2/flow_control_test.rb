# frozen_string_literal: true

require_relative "http2_case"

# Flow control: RFC 7540 and 9113, section 6.9.
class HTTP2FlowControlTest < HTTP2Case
  LIMIT = (1 << 31) - 1

  spec "http2/6.9/1", "an increment of 0 of the connection is a PROTOCOL_ERROR" do |client|
    client.write(window_update(0, 0))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.9/2", "an increment of 0 of a stream is a PROTOCOL_ERROR" do |client|
    open_stream(client)
    client.write(window_update(1, 0))
    assert_stream_error(client, 1, :protocol_error)
  end

  spec "http2/6.9/3", "WINDOW_UPDATE of another length is a FRAME_SIZE_ERROR" do |client|
    client.write(frame(:window_update, 0, "\0\0\1"))
    assert_connection_error(client, :frame_size_error)
  end

  spec "http2/6.9.1/1", "no more bytes come than the window allows",
    settings: {initial_window_size: 1} do |client|
    client.request(1)
    assert_equal 1, client.take(:data, stream: 1).content.bytesize
    assert_lives(client)
    client.write(window_update(1, 3))
    assert_equal 3, client.take(:data, stream: 1).content.bytesize
  end

  spec "http2/6.9.1/2", "a window of the connection over 2^31-1 is a FLOW_CONTROL_ERROR" do |client|
    client.write(window_update(0, LIMIT), window_update(0, LIMIT))
    assert_connection_error(client, :flow_control_error)
  end

  spec "http2/6.9.1/3", "a window of a stream over 2^31-1 is a FLOW_CONTROL_ERROR" do |client|
    open_stream(client)
    client.write(window_update(1, LIMIT), window_update(1, LIMIT))
    assert_stream_error(client, 1, :flow_control_error)
  end

  spec "http2/6.9.2/1", "a window that grows in a response lets more come",
    settings: {initial_window_size: 0} do |client|
    client.request(1)
    client.take(:headers, stream: 1)
    client.write(settings(initial_window_size: 1))
    assert_equal 1, client.take(:data, stream: 1).content.bytesize
    assert_lives(client)
  end

  spec "http2/6.9.2/2", "a window may become negative",
    settings: {initial_window_size: 3} do |client|
    client.request(1)
    assert_equal 3, client.take(:data, stream: 1).content.bytesize
    client.write(settings(initial_window_size: 2), window_update(1, 1))
    assert_lives(client)
    client.write(window_update(1, 1))
    assert_equal 1, client.take(:data, stream: 1).content.bytesize
  end

  spec "http2/6.9.2/3", "INITIAL_WINDOW_SIZE over 2^31-1 is a FLOW_CONTROL_ERROR" do |client|
    client.write(settings(initial_window_size: LIMIT + 1))
    assert_connection_error(client, :flow_control_error)
  end

  # An error of the connection there; libnghttp2 resets the streams alone.
  spec "9113/6.9.2", "a setting that takes a stream's window over 2^31-1 is an error" do |client|
    open_stream(client)
    client.write(window_update(1, LIMIT - 65_535), settings(initial_window_size: 65_536))
    assert_stream_error(client, 1, :flow_control_error)
  end
  # The application has answered without it. Clients that end their request get the response only.
  def test_the_rest_of_a_body_that_nobody_reads_may_come
    app = ->(_env) { [200, {}, ["early"]] }
    Raffia::Server.start(app, log: File::NULL) do |server|
      Connection.open(server.port) do |client|
        client.request(1, method: "POST", fields: [%w[content-length 100000]],
          flags: [:end_headers])
        client.write(*Array.new(4) { data(1, "x" * 16_000, flags: []) })
        assert_equal "early", client.response(1).body
        client.take(:window_update, stream: 1)
        client.write(data(1, "x" * 16_000, flags: []), data(1, "x" * 16_000, flags: []),
          data(1, "x" * 4_000))
        assert_lives(client)
      end
    end
  end
end
