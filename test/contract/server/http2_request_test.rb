# frozen_string_literal: true

require "test_helper"
require "json"
require "tmpdir"
require "raffia/server"
require "support/certificates"
require "support/http2/connection"

# Requests of HTTP/2 as applications see them, and those that the server refuses.
class HTTP2RequestTest < Raffia::TestCase
  FRAMES = TestSupport::HTTP2::Frames
  NAMES = %w[SERVER_PROTOCOL SERVER_NAME SERVER_PORT HTTP_HOST REQUEST_METHOD PATH_INFO QUERY_STRING
    REQUEST_URI HTTP_COOKIE HTTP_X_SAME CONTENT_LENGTH CONTENT_TYPE rack.url_scheme rack.hijack?
    HTTP_UPGRADE].freeze
  ENVS = lambda do |env|
    [200, {}, [JSON.generate(env.slice(*NAMES).merge("body" => env["rack.input"].read))]]
  end

  def setup
    super
    skip "built without libnghttp2" unless Raffia::Native.http2?
  end

  def test_the_env
    fields = [%w[cookie a=1], %w[x-same 1], %w[cookie b=2], %w[x-same 2], %w[x-same 3]]
    connect do |client|
      seen = JSON.parse(client.get(1, "/a%20b?c=d?e", fields:).body)
      assert_equal({
        "SERVER_PROTOCOL" => "HTTP/2", "SERVER_NAME" => "localhost", "SERVER_PORT" => "80",
        "HTTP_HOST" => "localhost", "REQUEST_METHOD" => "GET", "PATH_INFO" => "/a%20b",
        "QUERY_STRING" => "c=d?e", "REQUEST_URI" => "/a%20b?c=d?e", "HTTP_COOKIE" => "a=1; b=2",
        "HTTP_X_SAME" => "1, 2, 3", "rack.url_scheme" => "http", "rack.hijack?" => false,
        "body" => ""
      }, seen)
    end
  end

  def test_a_length_is_there_only_if_it_was_sent
    connect do |client|
      [[], [%w[content-length 3]]].each_with_index do |fields, n|
        client.request(n * 2 + 1, method: "POST", fields:, flags: [:end_headers])
        client.write(FRAMES.data(n * 2 + 1, "abc"))
        seen = JSON.parse(client.response(n * 2 + 1).body)
        assert_equal [fields.dig(0, 1), "abc"], seen.values_at("CONTENT_LENGTH", "body")
      end
    end
  end

  def test_the_scheme_is_the_listeners
    connect do |client| # perhaps behind a proxy that ends TLS
      client.write(FRAMES.headers(1, [[":method", "GET"], [":scheme", "https"], [":path", "/"],
        [":authority", "a:8443"]]))
      assert_equal ["http", "a", "8443"], JSON.parse(client.response(1).body)
        .values_at("rack.url_scheme", "SERVER_NAME", "SERVER_PORT")
    end
    connect_with_tls do |client|
      client.request(1)
      assert_equal 400, client.response(1).status
    end
  end

  {
    "no path" => {":path" => "a"}, "a fragment" => {":path" => "/a#b"},
    "a space" => {":path" => "/a b"}, "no host" => {":authority" => "a b"},
    "a user in the host" => {":authority" => "me@a"}
  }.each do |name, pseudo|
    define_method(:"test_#{name.tr(" ", "_")}_is_refused") do
      fields = {":method" => "GET", ":scheme" => "http", ":path" => "/", ":authority" => "a"}
      connect do |client|
        client.write(FRAMES.headers(1, fields.merge(pseudo).to_a))
        outcome = client.take(stream: 1) { |one| %i[headers rst_stream].include?(one.type) }
        # libnghttp2 finds some of them malformed
        assert_includes ["400", nil], outcome.fields&.assoc(":status")&.last
        assert_equal :protocol_error, outcome.error if outcome.type == :rst_stream
      end
    end
  end

  def test_a_field_that_looks_like_another_one_is_refused
    connect do |client|
      assert_equal 400, client.get(1, fields: [%w[x-user me], %w[x_user you]]).status
    end
  end

  def test_heads_over_a_limit_are_refused_and_the_second_ends_the_connection
    connect(max_head: 1000) do |client|
      large = [["x-large", "y" * 1500]]
      assert_equal 431, client.get(1, fields: large).status
      client.request(3, fields: large)
      assert_equal :enhance_your_calm, client.goaway_at_end.error
    end
  end

  def test_a_body_over_the_limit_is_refused
    connect(max_body: 10) do |client|
      client.request(1, method: "POST", fields: [%w[content-length 11]], flags: [:end_headers])
      assert_equal 413, client.response(1).status
      client.request(3, method: "POST", flags: [:end_headers])
      client.write(FRAMES.data(3, "x" * 11))
      assert_equal 413, client.response(3).status
      assert_equal 200, client.get(5).status
    end
  end

  # The connection's window is opened when bytes come, that of a stream when they are read.
  def test_an_application_that_does_not_read_stops_only_its_own_stream
    gate = Thread::Queue.new
    app = lambda do |env|
      gate.pop if env["PATH_INFO"] == "/late"
      [200, {}, [env["rack.input"].read.bytesize.to_s]]
    end
    connect(app, http2_window: 65_535) do |client|
      late = Array.new(30) { |n| n * 2 + 1 } # together more than the connection's window
      late.each { |id| upload(client, id, "/late", 4) }
      upload(client, 101, "/", 3)
      assert_equal "48000", client.response(101).body
      late.size.times { gate << true }
      assert_equal ["64000"], late.map { |id| client.response(id).body }.uniq
    end
  end

  # ALPN comes before the cipher (RFC 9113, 9.2.2).
  def test_a_cipher_that_http2_forbids
    connect_with_tls(max_version: :TLS1_2, ciphers: "ECDHE-ECDSA-AES128-SHA256") do |client|
      assert_equal :inadequate_security, client.goaway_at_end.error
    end
  end

  private

  def upload(client, id, path, pieces)
    client.request(id, path, method: "POST", flags: [:end_headers])
    (1..pieces).each do |n|
      client.write(FRAMES.data(id, "x" * 16_000, flags: (n == pieces) ? [:end_stream] : []))
    end
  end

  def connect(app = ENVS, **options, &)
    Raffia::Server.start(app, log: File::NULL, **options) do |server|
      TestSupport::HTTP2::Connection.open(server.port, &)
    end
  end

  def connect_with_tls(**settings)
    Dir.mktmpdir("raffia-test-") do |dir|
      cert, key = TestSupport::Certificates.new(dir).server("localhost")
      Raffia::Server.start(ENVS, bind: "ssl://127.0.0.1:0", tls_cert: cert, tls_key: key,
        log: File::NULL) do |server|
        context = OpenSSL::SSL::SSLContext.new
        context.alpn_protocols = ["h2"]
        settings.each { |name, value| context.public_send(:"#{name}=", value) }
        ssl = OpenSSL::SSL::SSLSocket.new(TCPSocket.new("127.0.0.1", server.port), context)
        ssl.sync_close = true
        ssl.connect
        client = TestSupport::HTTP2::Connection.new(ssl)
        settings.empty? ? client.greet : client.write(TestSupport::HTTP2::PREFACE)
        yield client
      ensure
        client&.close
      end
    end
  end
end
