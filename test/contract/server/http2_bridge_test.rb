# frozen_string_literal: true

require "test_helper"
require "logger"
require "stringio"
require "raffia/server"
require "raffia/server/websocket"
require "support/http2/connection"

# WebSockets of applications that take the socket, over HTTP/2: `websockets_over_http2 :bridge`.
class HTTP2BridgeTest < Raffia::TestCase
  FRAMES = TestSupport::HTTP2::Frames
  SWITCH = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" \
    "Sec-WebSocket-Accept: %s\r\nSec-WebSocket-Protocol: chat\r\n\r\n"

  def setup
    super
    skip "built without libnghttp2" unless Raffia::Native.http2?
    @log = StringIO.new
    @seen = Thread::Queue.new
  end

  %i[fibers threads].each do |execution|
    define_method(:"test_an_application_takes_the_socket_on_#{execution}") do
      app = taking do |io|
        io << format(SWITCH, "proof") << "hello"
        @seen << io.readpartial(100) << io.read
        io << "bye"
      end
      connect(app, execution:) do |client|
        ask(client)
        head = client.take(:headers).fields
        assert_equal({":status" => "200", "sec-websocket-protocol" => "chat"},
          head.to_h.except("date", "server"))
        assert_equal "hello", client.take(:data).payload
        client.write(FRAMES.data(1, "to you", flags: []))
        assert_equal "to you", @seen.pop
        client.write(FRAMES.data(1, "the end"))
        assert_equal "the end", @seen.pop
        assert_equal "bye", rest(client)
        assert_equal 200, get_late(client)
      end
      assert_empty @log.string
    end
  end

  def test_the_request_is_that_of_http_1
    names = %w[REQUEST_METHOD HTTP_UPGRADE HTTP_CONNECTION HTTP_SEC_WEBSOCKET_VERSION rack.hijack?]
    app = lambda do |env|
      @seen << env.values_at(*names) << env["HTTP_SEC_WEBSOCKET_KEY"] << env["rack.input"].read
      [404, {}, []]
    end
    connect(app) do |client|
      ask(client)
      assert_equal "404", client.take(:headers).fields.assoc(":status").last
      assert_equal ["GET", "websocket", "Upgrade", "13", true], @seen.pop
      assert_match %r{\A[A-Za-z0-9+/]{22}==\z}, @seen.pop
      assert_empty @seen.pop
    end
  end

  # Within the call, and more than any buffer holds.
  def test_many_bytes_both_ways
    app = lambda do |env|
      io = env["rack.hijack"].call
      io << format(SWITCH, "proof")
      while (bytes = io.read(10_000))
        io << bytes.upcase
      end
      io.close
      [-1, {}, []]
    end
    connect(app) do |client|
      client.refill = true
      ask(client)
      bytes = "x" * 10_000
      received = +""
      100.times do
        client.write(FRAMES.data(1, bytes, flags: []))
        received << client.take(:data, stream: 1).content while received.bytesize % 10_000 > 0
        received << client.take(:data, stream: 1).content
      end
      client.write(FRAMES.data(1, ""))
      assert_equal "X" * 1_000_000, received << rest(client)
    end
  end

  def test_a_refusal_of_the_application
    app = taking do |io|
      io << "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nno"
      io << "way"
    end
    connect(app) do |client|
      ask(client)
      response = client.response(1)
      assert_equal [400, "text/plain", "noway"],
        [response.status, response["content-type"], response.body]
    end
  end

  {"nothing" => "", "no head" => "nonsense\r\n\r\n", "half a head" => "HTTP/1.1 101 Sw",
   "a head too large" => "HTTP/1.1 101 Switching\r\nx: #{"y" * 100_000}"}.each do |name, bytes|
    define_method(:"test_#{name.tr(" ", "_")}_resets_the_stream") do
      app = taking do |io|
        io << bytes
      rescue Errno::EPIPE, Errno::ECONNRESET
        nil # it was enough
      end
      connect(app) do |client|
        ask(client)
        assert_equal :internal_error, client.take(:rst_stream, stream: 1).error
        assert_equal 200, get_late(client)
      end
    end
  end

  {"a name that is none" => "HTTP/1.1 101 Switching\r\nbad name: x\r\n\r\n",
   "a value that is none" => "HTTP/1.1 101 Switching\r\nx: a\0b\r\n\r\n",
   "a status that is not final" => "HTTP/1.1 100 Continue\r\n\r\n",
   "a body too long" => "HTTP/1.1 400 No\r\ncontent-length: 1\r\n\r\nmore"}.each do |name, bytes|
    define_method(:"test_#{name.tr(" ", "_")}_resets_the_stream_and_is_logged") do
      connect(taking { |io| io << bytes }) do |client|
        ask(client)
        assert_equal :internal_error, client.take(:rst_stream, stream: 1).error
        assert_equal 200, get_late(client)
      end
      assert_match(/BadResponse/, @log.string)
    end
  end

  def test_a_reset_of_the_client_ends_the_socket
    connect(reading, http2_max_streams: 1) do |client|
      ask(client)
      client.take(:headers)
      client.write(FRAMES.rst_stream(1))
      assert_empty @seen.pop
      last = 1
      wait_until { served?(client, last += 2) } # its place is free again
    end
  end

  # Its socket is reset then, after the bytes that it has written.
  def test_an_application_that_closes_without_reading_all
    app = taking do |io|
      io << format(SWITCH, "proof")
      io.wait_readable
      io << "last words"
    end
    connect(app) do |client|
      ask(client)
      client.take(:headers)
      client.write(FRAMES.data(1, "never read", flags: []))
      assert_equal "last words", rest(client)
    end
  end

  def test_other_protocols_are_not_translated
    app = lambda do |env|
      @seen << env.values_at("REQUEST_METHOD", "rack.protocol", "HTTP_UPGRADE")
      [501, {}, []]
    end
    connect(app) do |client|
      ask(client, "connect-udp")
      assert_equal "501", client.take(:headers).fields.assoc(":status").last
      assert_equal ["CONNECT", ["connect-udp"], nil], @seen.pop
    end
  end

  def test_an_open_socket_is_no_idle_connection
    others = connections
    connect(reading) do |client, _server|
      ask(client)
      client.take(:headers)
      served = (connections - others).fetch(0)
      assert_nil served.idle_mark
      client.write(FRAMES.rst_stream(1))
      assert_empty @seen.pop
      wait_until { served.idle_mark }
    end
  end

  def test_the_end_of_the_server_ends_the_socket
    connect(reading) do |client, server|
      ask(client)
      client.take(:headers)
      server.stop
      assert_empty @seen.pop
      assert_empty rest(client)
    end
  end

  def test_an_application_that_needs_no_bridge
    app = lambda do |env|
      Raffia::Server::WebSocket.open(env, origins: :any) do |socket|
        socket.each { |message| socket.write(message.upcase) }
      end
    end
    connect(app) do |client|
      ask(client)
      head = client.take(:headers).fields
      assert_equal ["200", nil], [":status", "sec-websocket-accept"].map { head.assoc(_1)&.last }
      client.write(FRAMES.data(1, [0x81, 0x83, 0].pack("CCN") << "abc", flags: []))
      assert_equal "\x81\x03ABC".b, client.take(:data).payload
    end
  end

  private

  # The block has the socket, in a thread of its own.
  def taking
    lambda do |env|
      next [200, {}, []] unless env["HTTP_UPGRADE"]

      io = env["rack.hijack"].call
      Thread.new do
        yield io
      ensure
        io.close
      end
      [-1, {}, []]
    end
  end

  # Takes the socket, and reads to the end of it.
  def reading
    taking do |io|
      io << format(SWITCH, "proof")
      @seen << io.read
    end
  end

  def connections = ObjectSpace.each_object(Raffia::Server::HTTP2::Connection).to_a

  def ask(client, protocol = "websocket")
    fields = [[":method", "CONNECT"], [":protocol", protocol], [":scheme", "http"],
      [":path", "/"], [":authority", "localhost"], %w[sec-websocket-version 13]]
    client.write(FRAMES.headers(1, fields, flags: [:end_headers]))
  end

  def get_late(client) = client.get(31).status

  def served?(client, stream)
    client.request(stream)
    client.take(stream:) { |frame| %i[headers rst_stream].include?(frame.type) }.type == :headers
  end

  # The bytes of the first stream to its end.
  def rest(client)
    bytes = +""
    loop do
      frame = client.take(:data, stream: 1)
      bytes << frame.content
      return bytes if frame.flag?(:end_stream)
    end
  end

  def connect(app, **options)
    Raffia::Server.start(app, logger: Logger.new(@log, level: :warn),
      websockets_over_http2: :bridge, **options) do |server|
      TestSupport::HTTP2::Connection.open(server.port) { |client| yield client, server }
    end
  end
end
