# frozen_string_literal: true

require_relative "connection_contract"
require "support/http2/connection"

# The contract of connections on HTTP/2.
class HTTP2ConnectionTest < Raffia::TestCase
  include ServerConnectionContract

  FRAMES = TestSupport::HTTP2::Frames

  # A client's end that begins its streams one after the other.
  class Client
    attr_reader :http2

    def initialize(io)
      @io = io
      @http2 = TestSupport::HTTP2::Connection.new(io)
      @http2.greet
      @streams = {}
      @last = -1
    end

    def alpn_protocol = @io.alpn_protocol

    def start(id, path)
      @http2.write(FRAMES.headers(@streams[id] = @last += 2, fields(path)))
    end

    def fields(path)
      [[":method", "GET"], [":scheme", "https"], [":path", path], [":authority", "localhost"]]
    end

    def finish(id)
      response = @http2.response(@streams.fetch(id))
      [response.status, response.body]
    end

    # All of it is frames; those of streams are no rest.
    def read = @http2.rest.select { |frame| %i[headers data].include?(frame.type) }
  end

  def setup
    super
    skip "built without libnghttp2" unless Raffia::Native.http2?
  end

  def test_many_requests_at_a_time
    serve do |server|
      connect(server) do |io|
        10.times { |id| io.start(id, "/wait") }
        10.times { await_begin }
        io.start(:quick, "/quick")
        assert_equal [200, "https /quick 127.0.0.1"], io.finish(:quick)
        10.times { @gate << :go }
        assert_equal [200], Array.new(10) { |id| io.finish(id).first }.uniq
      end
    end
  end

  def test_responses_of_a_turn_are_sent_together
    serve do |server|
      connect(server) do |io|
        request(io, "/")
        session = ObjectSpace.each_object(Raffia::Native::HTTP2).find { |one| one.requests == 1 }
        before = session.sends
        frames = Array.new(100) { |n| FRAMES.headers(n * 2 + 3, io.fields("/")) }
        io.http2.write(*frames)
        100.times { |n| assert_equal 200, io.http2.response(n * 2 + 3).status }
        assert_operator session.sends - before, :<=, 10
      end
    end
  end

  def test_a_connection_takes_so_many_requests
    serve(max_requests_per_connection: 2) do |server|
      connect(server) do |io|
        assert_equal [200, 200], Array.new(2) { request(io, "/").first }
        assert_equal :no_error, io.http2.goaway_at_end.error
      end
    end
  end

  def test_an_idle_connection_is_ended
    serve(idle_timeout: 0.2) do |server|
      connect(server) do |io|
        assert_equal 200, request(io, "/").first
        assert_equal :no_error, io.http2.goaway_at_end.error
      end
    end
  end

  def test_a_head_that_does_not_come_to_its_end
    serve(head_timeout: 0.2) do |server|
      connect(server) do |io|
        io.http2.write(FRAMES.headers(1, io.fields("/"), flags: [:end_stream]))
        assert_equal :enhance_your_calm, io.http2.goaway_at_end.error
      end
    end
  end

  def test_requests_that_come_while_the_server_stops_are_served
    serve do |server|
      connect(server) do |io|
        io.start(:first, "/wait")
        await_begin
        stopping = Thread.new { server.stop }
        goaway = io.http2.take(:goaway)
        assert_equal 2**31 - 1, goaway.last_stream
        @gate << :go
        assert_equal 200, io.finish(:first).first
        stopping.join
      end
    end
  end

  def test_the_end_is_told_once
    serve(head_timeout: 0.2) do |server| # the timers are checked each 50 ms
      connect(server) do |io|
        io.start(:first, "/wait")
        await_begin
        stopping = Thread.new { server.stop }
        io.http2.take(:goaway) { |frame| frame.last_stream == 1 }
        sleep(0.2)
        @gate << :go
        assert_equal 200, io.finish(:first).first
        goaways = io.http2.rest.select { |frame| frame.type == :goaway }
        assert_equal [2**31 - 1], goaways.map(&:last_stream)
        stopping.join
      end
    end
  end

  def test_prior_knowledge
    serve_in_clear do |server|
      socket = TCPSocket.new("127.0.0.1", server.port)
      client = TestSupport::HTTP2::Connection.new(socket, piecewise: true)
      client.greet
      assert_equal [200, "http /a 127.0.0.1"], client.get(1, "/a").then { [_1.status, _1.body] }
    ensure
      socket&.close
    end
  end

  def test_http2_can_be_turned_off
    serve_in_clear(http2: false) do |server|
      socket = TCPSocket.new("127.0.0.1", server.port)
      socket.write(TestSupport::HTTP2::PREFACE)
      assert_match(%r{\AHTTP/1.1 505 }, socket.gets)
    ensure
      socket&.close
    end
  end

  def test_abuse_ends_a_connection_and_is_counted
    serve_in_clear do |server|
      TestSupport::HTTP2::Connection.open(server.port) do |client|
        client.write(*Array.new(300) { FRAMES.settings })
        assert_equal :enhance_your_calm, client.goaway_at_end.error
      end
    end
    assert_match(/ended the HTTP\/2 connection of 127.0.0.1, because of its settings/, @log.string)
  end

  private

  def protocol = "h2"

  def start(io, id, path) = io.start(id, path)

  def finish(io, id) = io.finish(id)

  def send_nonsense(io) = io.start(0, "/a#b")

  def connect(server) = super { |io| yield Client.new(io) }

  def serve_in_clear(**options, &)
    Raffia::Server.start(app, bind: "tcp://127.0.0.1:0", access_log: @access_log,
      logger: Logger.new(@log), **options, &)
  end
end
