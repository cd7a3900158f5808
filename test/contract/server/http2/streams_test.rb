# frozen_string_literal: true

require_relative "http2_case"

# Streams: RFC 7540 and 9113, section 5.
class HTTP2StreamsTest < HTTP2Case
  {1 => [:data, "DATA"], 2 => [:rst_stream, "RST_STREAM"],
   3 => [:window_update, "WINDOW_UPDATE"],
   4 => [:continuation, "CONTINUATION"]}.each do |number, (kind, name)|
    spec "http2/5.1/#{number}", "#{name} on an idle stream is a PROTOCOL_ERROR" do |client|
      client.write(on_stream(kind))
      assert_connection_error(client, :protocol_error)
    end
  end

  {5 => [:data, "DATA"], 6 => [:headers, "HEADERS"],
   7 => [:continuation, "CONTINUATION"]}.each do |number, (kind, name)|
    spec "http2/5.1/#{number}", "#{name} after END_STREAM is a STREAM_CLOSED",
      settings: {initial_window_size: 0} do |client|
      client.request(1)
      client.write(on_stream(kind))
      assert_stream_error(client, 1, *closed_error(kind))
    end
  end

  {8 => [:data, "DATA"], 9 => [:headers, "HEADERS"],
   10 => [:continuation, "CONTINUATION"]}.each do |number, (kind, name)|
    spec "http2/5.1/#{number}", "#{name} after RST_STREAM is a STREAM_CLOSED" do |client|
      open_stream(client)
      client.write(rst_stream(1), on_stream(kind))
      assert_stream_error(client, 1, *closed_error(kind))
    end
  end

  {11 => [:data, "DATA"], 12 => [:headers, "HEADERS"],
   13 => [:continuation, "CONTINUATION"]}.each do |number, (kind, name)|
    spec "http2/5.1/#{number}", "#{name} on a closed stream is a STREAM_CLOSED" do |client|
      close_stream(client)
      client.write(on_stream(kind))
      assert_stream_error(client, 1, *closed_error(kind))
    end
  end

  spec "http2/5.1.1/1", "an even stream is a PROTOCOL_ERROR" do |client|
    client.request(2)
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/5.1.1/2", "a smaller stream than the last is an error" do |client|
    close_stream(client, 5)
    client.request(3)
    assert_connection_error(client, :protocol_error, :stream_closed)
  end

  # Streams that are open before the server's SETTINGS are acknowledged may be refused alone.
  spec "http2/5.1.2/1", "a stream over the limit is refused" do |client|
    limit = client.peer_settings.fetch(SETTINGS[:max_concurrent_streams])
    ids = Array.new(limit + 1) { |n| n * 2 + 1 }
    client.write(*ids.map { |id|
      headers(id, client.request_fields(method: "POST"), flags: [:end_headers])
    })
    assert_stream_error(client, ids.last, :refused_stream, :protocol_error)
  end

  # RFC 9113, 5.3 has no priorities any more, so both may be ignored.
  spec "http2/5.3.1/1", "HEADERS that depend on themselves are refused or served" do |client|
    client.write(headers(1, block, priority: [1, 15]))
    assert_error_or_ignored(client, :protocol_error) { client.take(:headers, stream: 1) }
  end

  spec "http2/5.3.1/2", "PRIORITY that depends on itself is refused or ignored" do |client|
    client.write(priority(1, 1))
    assert_error_or_ignored(client, :protocol_error)
  end

  spec "http2/5.4.1/1", "the connection is closed after a connection error" do |client|
    client.write(ping("short"))
    assert_connection_error(client, :frame_size_error)
  end

  spec "http2/5.4.1/2", "GOAWAY names the last stream before the close" do |client|
    close_stream(client)
    client.write(ping("short"))
    assert_equal 1, client.goaway_at_end.last_stream
  end

  spec "http2/5.5/1", "a frame of an extension is ignored" do |client|
    client.write(frame(0x16, 0, "extension"))
    close_stream(client)
    assert_lives(client)
  end

  spec "http2/5.5/2", "a frame of an extension in a header block is an error" do |client|
    client.write(headers(1, block, flags: [:end_stream]), frame(0x16, 1, "extension"))
    assert_connection_error(client, :protocol_error)
  end

  private

  def on_stream(kind)
    case kind
    when :headers then headers(1, block)
    when :data then data(1, "more")
    when :rst_stream then rst_stream(1)
    when :window_update then window_update(1, 100)
    when :continuation then continuation(1, block)
    end
  end

  def closed_error(kind)
    (kind == :continuation) ? [:protocol_error, :stream_closed] : [:stream_closed]
  end
end
