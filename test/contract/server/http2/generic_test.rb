# frozen_string_literal: true

require_relative "http2_case"

# Well-formed traffic of all kinds, which every server serves.
class HTTP2GenericTest < HTTP2Case
  spec "generic/1/1", "the preface", settings: nil do |client|
    client.greet
    assert_lives(client)
  end

  spec "generic/2/1", "PRIORITY on an idle stream" do |client|
    client.write(priority(1))
    assert_served(client.request(1), 1)
  end

  spec "generic/2/2", "WINDOW_UPDATE after END_STREAM",
    settings: {initial_window_size: 0} do |client|
    client.request(1)
    client.write(window_update(1, 100))
    assert_served(client, 1)
  end

  spec "generic/2/3", "PRIORITY after END_STREAM", settings: {initial_window_size: 0} do |client|
    client.request(1)
    client.write(priority(1), window_update(1, 100))
    assert_served(client, 1)
  end

  spec "generic/2/4", "RST_STREAM after END_STREAM", settings: {initial_window_size: 0} do |client|
    client.request(1)
    client.write(rst_stream(1))
    assert_lives(client)
  end

  spec "generic/2/5", "PRIORITY on a closed stream" do |client|
    close_stream(client)
    client.write(priority(1))
    assert_lives(client)
  end

  # RFC 9113, 5.1: they may be on their way when the stream ends.
  spec "9113/5.1", "WINDOW_UPDATE and RST_STREAM on a closed stream" do |client|
    close_stream(client)
    client.write(window_update(1, 100), rst_stream(1))
    assert_served(client.request(3), 3)
  end

  spec "generic/3.1/1", "DATA" do |client|
    open_stream(client)
    client.write(data(1, "body"))
    assert_served(client, 1)
  end

  spec "generic/3.1/2", "several DATA" do |client|
    open_stream(client)
    client.write(data(1, "bo", flags: []), data(1, "dy"))
    assert_served(client, 1)
  end

  spec "generic/3.1/3", "padded DATA" do |client|
    open_stream(client)
    client.write(frame(:data, 1, "\x05body#{"\0" * 5}", flags: %i[end_stream padded]))
    assert_served(client, 1)
  end

  spec "generic/3.2/1", "HEADERS" do |client|
    client.write(headers(1, block))
    assert_served(client, 1)
  end

  spec "generic/3.2/2", "padded HEADERS" do |client|
    client.write(headers(1, block, padding: 8))
    assert_served(client, 1)
  end

  spec "generic/3.2/3", "HEADERS with a priority" do |client|
    client.write(headers(1, block, priority: [0, 255], padding: 3))
    assert_served(client, 1)
  end

  {1 => [[0, 0], "PRIORITY with weight 1"], 2 => [[0, 255], "PRIORITY with weight 256"],
   3 => [[3, 15], "PRIORITY with a dependency"],
   4 => [[3 | 1 << 31, 15], "PRIORITY with an exclusive dependency"]}.each do |number, (how, says)|
    spec "generic/3.3/#{number}", says do |client|
      client.write(priority(1, *how))
      assert_served(client.request(1), 1)
    end
  end

  spec "generic/3.3/5", "PRIORITY on an idle stream, then a smaller stream" do |client|
    client.write(priority(3, 0, 15))
    assert_served(client.request(1), 1)
  end

  spec "generic/3.4/1", "RST_STREAM" do |client|
    open_stream(client)
    client.write(rst_stream(1))
    assert_lives(client)
  end

  spec "generic/3.5/1", "SETTINGS" do |client|
    client.write(settings(initial_window_size: 1_000, max_frame_size: 20_000))
    assert client.take(:settings) { |one| one.flag?(:ack) }
  end

  spec "generic/3.7/1", "PING" do |client|
    assert_lives(client)
  end

  # The server may close now, but without an error.
  spec "generic/3.8/1", "GOAWAY" do |client|
    client.write(goaway)
    client.socket.close_write
    assert_includes [nil, :no_error], client.goaway_at_end&.error
  end

  spec "generic/3.9/1", "WINDOW_UPDATE of the connection" do |client|
    client.write(window_update(0, 1))
    assert_served(client.request(1), 1)
  end

  spec "generic/3.9/2", "WINDOW_UPDATE of a stream" do |client|
    open_stream(client)
    client.write(window_update(1, 1), data(1, "body"))
    assert_served(client, 1)
  end

  spec "generic/3.10/1", "CONTINUATION" do |client|
    client.write(headers(1, block, flags: [:end_stream]), continuation(1, [%w[x-a 1]]))
    assert_served(client, 1)
  end

  spec "generic/3.10/2", "several CONTINUATION" do |client|
    client.write(headers(1, block, flags: [:end_stream]),
      continuation(1, [%w[x-a 1]], flags: []), continuation(1, [%w[x-b 2]]))
    assert_served(client, 1)
  end

  spec "generic/4/1", "GET" do |client|
    response = client.get(1)
    assert_equal [200, SharedServer::BODY], [response.status, response.body]
  end

  spec "generic/4/2", "HEAD" do |client|
    response = client.get(1, method: "HEAD")
    assert_equal [200, ""], [response.status, response.body]
    assert_lives(client)
  end

  spec "generic/4/3", "POST" do |client|
    open_stream(client)
    client.write(data(1, "body"))
    assert_equal "body", client.response(1).body
  end

  spec "generic/4/4", "POST with trailers" do |client|
    open_stream(client)
    client.write(data(1, "body", flags: []), headers(1, [%w[x-trailer 1]]))
    assert_equal "body", client.response(1).body
  end

  # Each form of a field, by a name of the table (58 is user-agent) or a new one.
  forms = {"without indexing" => :without, "never indexed" => :never, "indexed" => :incremental}
  spec "generic/5/1", "an indexed field" do |client|
    client.write(headers(1, [2, 6, 4].map { |index| HPACK.indexed(index) }.join +
      HPACK.literal(1, "localhost")))
    assert_served(client, 1)
  end
  forms.to_a.product([58, "x-test"], [false, true]).each.with_index(2) do |(form, name, huffman), n|
    says = "a literal #{form.first}, #{name.is_a?(Integer) ? "a known" : "a new"} name" \
      "#{", by Huffman" if huffman}"
    spec "generic/5/#{n}", says do |client|
      client.write(headers(1, block + HPACK.literal(name, "test", form: form.last, huffman:)))
      assert_served(client, 1)
    end
  end

  spec "generic/5/14", "a change of the table's size" do |client|
    client.write(headers(1, HPACK.size_update(128) << block))
    assert_served(client, 1)
  end

  spec "generic/5/15", "two changes of the table's size" do |client|
    client.write(headers(1, HPACK.size_update(128) << HPACK.size_update(4096) << block))
    assert_served(client, 1)
  end

  spec "hpack/4.4", "an entry that the table's new size drops comes again" do |client|
    client.write(headers(1, block + HPACK.literal("x-test", "1", form: :incremental)))
    client.write(headers(3, block + HPACK.indexed(62)),
      headers(5, HPACK.size_update(0) << HPACK.size_update(4096) << block),
      headers(7, block + HPACK.literal("x-test", "2", form: :incremental) + HPACK.indexed(62)))
    [1, 3, 5, 7].each { |stream| assert_served(client, stream) }
  end
end
