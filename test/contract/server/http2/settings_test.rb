# frozen_string_literal: true

require_relative "http2_case"

# SETTINGS: RFC 7540 and 9113, section 6.5.
class HTTP2SettingsTest < HTTP2Case
  spec "http2/6.5/1", "an acknowledgement with a payload is a FRAME_SIZE_ERROR" do |client|
    client.write(frame(:settings, 0, "\0", flags: [:ack]))
    assert_connection_error(client, :frame_size_error)
  end

  spec "http2/6.5/2", "SETTINGS on a stream are a PROTOCOL_ERROR" do |client|
    client.write(frame(:settings, 1, settings(max_concurrent_streams: 100).payload))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.5/3", "SETTINGS of no multiple of 6 bytes are a FRAME_SIZE_ERROR" do |client|
    client.write(frame(:settings, 0, "\0\3\0"))
    assert_connection_error(client, :frame_size_error)
  end

  spec "http2/6.5.2/1", "ENABLE_PUSH other than 0 and 1 is a PROTOCOL_ERROR" do |client|
    client.write(settings(enable_push: 2))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.5.2/2", "INITIAL_WINDOW_SIZE over 2^31-1 is a FLOW_CONTROL_ERROR" do |client|
    client.write(settings(initial_window_size: 1 << 31))
    assert_connection_error(client, :flow_control_error)
  end

  spec "http2/6.5.2/3", "MAX_FRAME_SIZE below 2^14 is a PROTOCOL_ERROR" do |client|
    client.write(settings(max_frame_size: 16_383))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.5.2/4", "MAX_FRAME_SIZE over 2^24-1 is a PROTOCOL_ERROR" do |client|
    client.write(settings(max_frame_size: 1 << 24))
    assert_connection_error(client, :protocol_error)
  end

  spec "http2/6.5.2/5", "an unknown setting is ignored" do |client|
    client.write(settings(0xff => 1))
    assert client.take(:settings) { |one| one.flag?(:ack) }
    assert_lives(client)
  end

  spec "http2/6.5.3/1", "the last value of a setting counts",
    settings: {initial_window_size: 0} do |client|
    client.write(frame(:settings, 0,
      settings(initial_window_size: 100).payload + settings(initial_window_size: 1).payload))
    client.request(1)
    assert_equal 1, client.take(:data, stream: 1).content.bytesize
    assert_lives(client)
  end

  spec "http2/6.5.3/2", "SETTINGS are acknowledged" do |client|
    client.write(settings(enable_push: 0))
    assert client.take(:settings) { |one| one.flag?(:ack) }
  end
end
