# frozen_string_literal: true

require_relative "http2_case"

# HTTP messages: RFC 7540, section 8; some are 8.2 and 8.3 in RFC 9113.
class HTTP2MessagesTest < HTTP2Case
  spec "http2/8.1/1", "second HEADERS without END_STREAM are a PROTOCOL_ERROR" do |client|
    open_stream(client)
    client.write(data(1, "body", flags: []), headers(1, [%w[x-trailer 1]], flags: [:end_headers]))
    assert_stream_error(client, 1, :protocol_error)
  end

  # @param fields [Array<Array(String, String)>] of a request that no server may serve
  def self.malformed(number, says, fields)
    spec(number, says) do |client|
      client.write(headers(1, fields))
      assert_stream_error(client, 1, :protocol_error)
    end
  end

  method, scheme, path, authority = FIELDS = [[":method", "GET"], [":scheme", "http"],
    [":path", "/"], [":authority", "a"]].freeze

  malformed "http2/8.1.2/1", "a name in upper case", FIELDS + [%w[X-TEST ok]]
  malformed "http2/8.1.2.1/1", "an unknown pseudo-field", FIELDS + [%w[:test ok]]
  malformed "http2/8.1.2.1/2", "a pseudo-field of responses", FIELDS + [%w[:status 200]]

  spec "http2/8.1.2.1/3", "a pseudo-field in trailers" do |client|
    open_stream(client)
    client.write(data(1, "body", flags: []), headers(1, [%w[:method POST]]))
    assert_stream_error(client, 1, :protocol_error)
  end

  malformed "http2/8.1.2.1/4", "a pseudo-field after a field",
    [method, scheme, path, %w[x-test ok], authority]
  malformed "http2/8.1.2.2/1", "a field of the connection", FIELDS + [%w[connection keep-alive]]
  malformed "http2/8.1.2.2/2", "te with more than trailers", FIELDS + [["te", "trailers, deflate"]]
  malformed "http2/8.1.2.3/1", "an empty path", [method, scheme, [":path", ""], authority]
  malformed "http2/8.1.2.3/2", "no method", [scheme, path, authority]
  malformed "http2/8.1.2.3/3", "no scheme", [method, path, authority]
  malformed "http2/8.1.2.3/4", "no path", [method, scheme, authority]
  malformed "http2/8.1.2.3/5", "two methods", [method, *FIELDS]
  malformed "http2/8.1.2.3/6", "two schemes", [scheme, *FIELDS]
  malformed "http2/8.1.2.3/7", "two paths", [path, *FIELDS]

  spec "http2/8.1.2.6/1", "content-length that DATA is not" do |client|
    client.write(headers(1, post + [%w[content-length 1]], flags: [:end_headers]),
      data(1, "body"))
    assert_stream_error(client, 1, :protocol_error)
  end

  spec "http2/8.1.2.6/2", "content-length that the sum of DATA is not" do |client|
    client.write(headers(1, post + [%w[content-length 1]], flags: [:end_headers]),
      data(1, "bo", flags: []), data(1, "dy"))
    assert_stream_error(client, 1, :protocol_error)
  end

  spec "http2/8.2/1", "PUSH_PROMISE is a PROTOCOL_ERROR of the connection" do |client|
    open_stream(client)
    client.write(frame(:push_promise, 1, [2].pack("N") << block, flags: [:end_headers]))
    assert_connection_error(client, :protocol_error)
  end

  # Beyond h2spec's list.
  malformed "9113/8.2.1/1", "NUL in a value", FIELDS + [["x-test", "a\0b"]]
  malformed "9113/8.2.1/2", "CR in a value", FIELDS + [["x-test", "a\rb"]]
  malformed "9113/8.2.1/3", "LF in a value", FIELDS + [["x-test", "a\nb"]]
  malformed "9113/8.2.1/4", "a blank in a name", FIELDS + [["x test", "ok"]]
  malformed "9113/8.2.1/5", "a colon within a name", FIELDS + [["x:test", "ok"]]
  malformed "9113/8.2.1/6", "an empty name", FIELDS + [["", "ok"]]
  malformed "9113/8.2.1/7", "a value that begins with a blank", FIELDS + [["x-test", " ok"]]
  malformed "9113/8.2.1/8", "a value that ends with a tab", FIELDS + [["x-test", "ok\t"]]
  malformed "9113/8.2.2/1", "transfer-encoding", FIELDS + [%w[transfer-encoding chunked]]
  malformed "9113/8.2.2/2", "upgrade", FIELDS + [%w[upgrade websocket]]
  malformed "9113/8.3.1/1", "host that is not the authority", FIELDS + [%w[host b]]
  malformed "9113/8.3.1/2", "two authorities", FIELDS + [authority]
  malformed "9113/8.3.1/3", "a path without a slash", [method, scheme, [":path", "x"], authority]
  malformed "9113/8.1.1/1", "content-length without a body", FIELDS + [%w[content-length 3]]
  malformed "9113/8.1.1/2", "two lengths", FIELDS + [%w[content-length 0], %w[content-length 1]]
  malformed "8441/4/1", "a protocol without the setting",
    [[":method", "CONNECT"], [":protocol", "websocket"], *FIELDS.drop(1)]

  spec "9113/8.1/1", "no message can be smuggled by a path" do |client|
    client.write(headers(1, [method, scheme, [":path", "/ HTTP/1.1\r\nx: y"], authority]))
    assert_stream_error(client, 1, :protocol_error)
  end

  spec "9113/8.2.3", "crumbs of a cookie are served" do |client|
    client.write(headers(1, FIELDS + [%w[cookie a=1], %w[cookie b=2]]))
    assert_served(client, 1)
  end

  spec "9113/8.3.1/4", "host equal to the authority is served, and so is host alone" do |client|
    client.write(headers(1, FIELDS + [%w[host a]]))
    assert_served(client, 1)
    client.write(headers(3, [method, scheme, path, %w[host a]]))
    assert_served(client, 3)
  end

  spec "9113/8.1/2", "a malformed request leaves the table of fields in order" do |client|
    added = HPACK.literal("x-added", "1", form: :incremental)
    client.write(headers(1, HPACK.encode(FIELDS + [%w[X-BAD 1]]) + added))
    assert_stream_error(client, 1, :protocol_error)
    client.write(headers(3, block + HPACK.indexed(62)))
    assert_served(client, 3)
  end
end
