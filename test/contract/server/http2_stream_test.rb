# frozen_string_literal: true

require_relative "http_stream_contract"
require "support/http2/connection"

# HTTP::Stream on an HTTP/2 connection, and what only that one can do.
class HTTP2StreamTest < Raffia::TestCase
  include HTTPStreamContract

  Stream = Raffia::Server::HTTP2::Stream if Raffia::Native.http2?

  FRAMES = TestSupport::HTTP2::Frames

  class Client
    attr_reader :interim, :connection, :trailers

    def initialize(socket)
      @connection = TestSupport::HTTP2::Connection.new(socket)
      @connection.refill = true
      @interim = []
    end

    def request(method, headers, body, length, more)
      ended = body.nil? || body.bytesize == length
      fields = @connection.request_fields("/", method: method)
        .concat(headers.to_a, length ? [["content-length", length.to_s]] : [])
      flags = body ? [:end_headers] : %i[end_headers end_stream]
      flags = [:end_headers] if more
      @connection.write(FRAMES.headers(1, fields, flags: flags))
      @connection.write(FRAMES.data(1, body, flags: ended ? [:end_stream] : [])) if body
    end

    def answer
      take_interims
      response = @connection.response(1)
      @trailers = response.trailers
      [response.status, response.fields.to_h, response.body]
    end

    def leave = @connection.close

    def send_body(bytes) = @connection.write(FRAMES.data(1, bytes))

    private

    # They come before the response's head.
    def take_interims
      @connection.ping_pong
      @connection.instance_variable_get(:@inbox).reject! { |frame| interim?(frame) }
    end

    def interim?(frame)
      status = frame.fields&.assoc(":status")&.last.to_i
      (@interim << status) if status.between?(100, 199)
    end
  end

  def setup
    super
    skip "built without libnghttp2" unless Raffia::Native.http2?
  end

  def with_stream(method: "GET", body: nil, length: body&.bytesize, headers: {}, limits: {},
    more: false)
    here, there = sockets
    Raffia.run do |scope|
      stream, client = open_stream(scope, here, there, limits) do |one|
        one.request(method, headers, body, length, more)
      end
      yield stream, client
      scope.cancel
    end
  ensure
    [here, there].each(&:close)
  end

  def test_trailers_of_a_response
    with_stream(headers: {"te" => "trailers"}) do |stream, client|
      assert stream.begin(200, PLAIN)
      stream.write("ab")
      @env["raffia.response_trailers"]["grpc-status"] = "0"
      stream.finish
      assert_equal [200, "ab"], client.answer.values_at(0, 2)
      assert_equal [["grpc-status", "0"]], client.trailers
    end
  end

  def test_trailers_of_a_whole_answer
    with_stream(headers: {"te" => "trailers"}) do |stream, client|
      @env["raffia.response_trailers"]["x-sum"] = "1"
      assert stream.answer([200, PLAIN, ["ab"]])
      assert_equal ["ab", [["x-sum", "1"]]], [client.answer.last, client.trailers]
    end
  end

  # Code of the application may wait there, and the stream may be released meanwhile.
  def test_a_stream_that_is_released_while_its_trailers_are_read
    with_stream do |stream, _|
      assert stream.begin(200, PLAIN)
      stream.write("ab")
      assert_raises(Disconnected) { stream.finish({"x-sum" => releasing(stream)}) }
    end
  end

  def test_a_stream_that_is_released_while_the_headers_of_an_interim_response_are_read
    with_stream do |stream, _|
      assert_nil stream.send_interim(103, {"link" => releasing(stream)})
      assert_predicate stream, :gone?
    end
  end

  def test_trailers_of_a_request
    with_stream(method: "POST", more: true) do |stream, client|
      client.connection.write(FRAMES.data(1, "abc", flags: []),
        FRAMES.headers(1, [["x-sum", "1"], ["x-sum", "2"]]))
      assert_equal "abc", stream.read_body(64, LONG)
      assert_nil stream.read_body(64, LONG)
      assert_equal({"x-sum" => "1, 2"}, stream.trailers)
    end
  end

  def test_fields_of_http_1_are_dropped
    with_stream do |stream, client|
      stream.answer([200, {"Connection" => "close", "Keep-Alive" => "1", "Upgrade" => "x",
                           "Transfer-Encoding" => "chunked", "X-A" => "1\n2"}, ["x"]])
      _, fields, = client.answer
      assert_equal %w[content-length date x-a], fields.keys.sort
      assert_equal "2", fields["x-a"]
    end
  end

  def test_a_reset_is_noticed
    with_stream(method: "POST", body: "he", length: 5) do |stream, client|
      assert_equal "he", stream.read_body(64, LONG)
      client.connection.write(FRAMES.rst_stream(1))
      assert_raises(Disconnected) { stream.read_body(64, LONG) }
      assert_predicate stream, :gone?
      stream.begin(200, {})
      assert_raises(Disconnected) { stream.write("x") }
    end
  end

  def test_a_socket_cannot_be_taken
    with_stream do |stream, _|
      assert_predicate stream, :multiplexed?
      assert_equal false, @env["rack.hijack?"]
      assert_match(/cannot be taken/, assert_raises(IOError) { stream.hijack }.message)
      assert_raises(BadResponse) { stream.begin_raw(101, {}, "echo") }
    end
  end

  def test_a_body_over_the_limit_is_refused
    with_stream(method: "POST", more: true, limits: {body: 4}) do |stream, client|
      client.send_body("hello")
      error = assert_raises(Refused) { nil while stream.read_body(64, LONG) }
      assert_equal 413, error.status
    end
  end

  def test_one_fiber_reads_while_another_one_writes
    with_stream(method: "POST", more: true) do |stream, client|
      client.connection.refill = false
      Raffia::Scope.open do |scope|
        reader = scope.spawn { stream.read_body(64, LONG) }
        writer = scope.spawn { send_body(stream, "x" * 300_000) }
        client.connection.take(:data) # the window is full soon
        client.connection.ping_pong
        client.connection.write([0, 1].map { |id| FRAMES.window_update(id, 1 << 20) }.join)
        assert_equal 300_000, writer.value
        client.send_body("read")
        assert_equal "read", reader.value
      end
    end
  end

  def test_signals_that_nobody_waits_for_are_not_kept
    with_stream(method: "POST", more: true) do |stream, client|
      client.connection.write(FRAMES.data(1, "x", flags: []))
      stream.wait_readable(LONG)
      kept = queued_signals
      20.times do
        client.connection.write(FRAMES.data(1, "x", flags: []))
        client.connection.ping_pong
      end
      assert_operator queued_signals - kept, :<=, 2
    end
  end

  def test_a_websocket_may_receive_more_than_a_body
    with_stream(method: "CONNECT", more: true, limits: {body: 4, connect: 1},
      headers: {":protocol" => "websocket"}) do |stream, client|
      client.send_body("hello")
      assert_equal "hello", stream.read_body(64, LONG)
    end
  end

  def test_a_thread_that_still_reads_learns_of_the_end
    with_stream(method: "POST", more: true) do |stream, _|
      reader = Thread.new { assert_raises(Disconnected) { stream.read_body(64, nil) } }
      sleep(0.01) until reader.stop?
      stream.release
      assert_kind_of Disconnected, reader.value
    end
  end

  def test_a_client_that_waits_before_it_sends_the_body
    headers = {"expect" => "100-continue"}
    with_stream(method: "POST", more: true, headers: headers) do |stream, client|
      Raffia::Scope.open do |scope|
        reader = scope.spawn { stream.read_body(64, LONG) }
        interim = client.connection.take(:headers)
        assert_equal [[":status", "100"]], interim.fields
        client.send_body("body")
        assert_equal "body", reader.value
      end
    end
  end

  def test_a_body_that_the_application_changes_while_it_is_sent
    [["y", 5], ["y", "yz"]].each do |before, after|
      with_stream do |stream, client|
        client.connection.refill = false
        body = ["x" * 300_000, before]
        writer = Thread.new { assert_raises(BadResponse) { stream.answer([200, {}, body]) } }
        client.connection.take(:data)
        sleep(0.01) until writer.stop?
        body[1] = after
        client.connection.write([0, 1].map { |id| FRAMES.window_update(id, 1 << 20) }.join)
        assert_match(/has changed/, writer.value.message)
      end
    end
  end

  private

  def send_body(stream, bytes)
    stream.begin(200, {})
    stream.write(bytes)
  end

  # @return [Object] whose to_s releases the stream
  def releasing(stream)
    Object.new.tap { |value| value.define_singleton_method(:to_s) { stream.release.to_s } }
  end

  def queued_signals = ObjectSpace.each_object(Thread::Queue).sum(&:size)

  def sockets
    listener = TCPServer.new("127.0.0.1", 0)
    [TCPSocket.new("127.0.0.1", listener.local_address.ip_port), listener.accept]
  ensure
    listener&.close
  end

  def open_stream(scope, here, there, limits)
    wakeups = Thread::Queue.new
    session = Raffia::Native::HTTP2.new(there, Stream, Stream.template({}), limits, wakeups)
    session.write_timeout = LONG
    requests = Thread::Queue.new
    scope.spawn do
      while (stream = session.receive)
        requests << stream
      end
    end
    scope.spawn { loop { wakeups.pop && (session.flush || session.send_output) } }
    client = Client.new(here)
    client.connection.greet
    yield client
    stream = requests.pop
    @env = stream.env
    [stream, client]
  end
end
