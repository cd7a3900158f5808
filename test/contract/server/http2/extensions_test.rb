# frozen_string_literal: true

require_relative "http2_case"

# What came after RFC 7540: priorities of RFC 9218, and the settings of RFC 8441 and 9218.
class HTTP2ExtensionsTest < HTTP2Case
  spec "9218/7.1/1", "PRIORITY_UPDATE of an idle and an open stream" do |client|
    client.write(priority_update(1, "u=5"), priority_update(1, "u=1, i"))
    open_stream(client)
    client.write(priority_update(1, "u=0"), data(1, "body"))
    assert_served(client, 1)
  end

  spec "9218/7.1/2", "PRIORITY_UPDATE of a closed stream is ignored" do |client|
    close_stream(client)
    client.write(priority_update(1))
    assert_lives(client)
  end

  # No server push, so there is no such stream.
  spec "9218/7.1/3", "PRIORITY_UPDATE of an even stream is a PROTOCOL_ERROR or ignored" do |client|
    client.write(priority_update(2))
    assert_error_or_ignored(client, :protocol_error)
  end

  spec "9218/7.1/4", "PRIORITY_UPDATE of stream 0 is a PROTOCOL_ERROR" do |client|
    client.write(priority_update(0))
    assert_connection_error(client, :protocol_error)
  end

  spec "9218/7.1/5", "PRIORITY_UPDATE on a stream is a PROTOCOL_ERROR" do |client|
    client.write(frame(PRIORITY_UPDATE, 1, [1].pack("N") << "u=1"))
    assert_connection_error(client, :protocol_error)
  end

  spec "9218/7.1/6", "PRIORITY_UPDATE without a stream is a FRAME_SIZE_ERROR" do |client|
    client.write(frame(PRIORITY_UPDATE, 0, "\0\0"))
    assert_connection_error(client, :frame_size_error)
  end

  spec "9218/4", "a priority that cannot be read is ignored" do |client|
    client.request(1, fields: [["priority", "u=9, nonsense;;"]])
    assert_served(client, 1)
  end

  spec "9218/2.1", "NO_RFC7540_PRIORITIES is 1" do |client|
    assert_equal 1, client.peer_settings[SETTINGS[:no_rfc7540_priorities]]
  end

  spec "9218/2.1/2", "NO_RFC7540_PRIORITIES other than 0 and 1 is a PROTOCOL_ERROR" do |client|
    client.write(settings(no_rfc7540_priorities: 2))
    assert_connection_error(client, :protocol_error)
  end

  # It means nothing to a server, but a sender must not take it back.
  spec "8441/3/1", "ENABLE_CONNECT_PROTOCOL from 1 to 0 is a PROTOCOL_ERROR or ignored",
    settings: {enable_connect_protocol: 1} do |client|
    client.write(settings(enable_connect_protocol: 0))
    assert_error_or_ignored(client, :protocol_error)
  end

  spec "8441/3/2", "ENABLE_CONNECT_PROTOCOL other than 0 and 1 is a PROTOCOL_ERROR" do |client|
    client.write(settings(enable_connect_protocol: 2))
    assert_connection_error(client, :protocol_error)
  end

  spec "9113/6.5.2", "limits of the server as its guide has them" do |client|
    values = client.peer_settings
    assert_operator values[SETTINGS[:max_concurrent_streams]], :>=, 100
    assert_operator values.fetch(SETTINGS[:max_header_list_size]), :>, 0
  end
end
