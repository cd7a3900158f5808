# frozen_string_literal: true

require "test_helper"
require "logger"
require "stringio"
require "raffia/server"
require "raffia/server/websocket"
require "support/http2/connection"

# What applications get from a server that speaks HTTP/2.
class HTTP2ServerTest < Raffia::TestCase
  FRAMES = TestSupport::HTTP2::Frames
  TEXT = {"content-type" => "text/plain"}.freeze
  # Ruby objects of a request; see counts_test.rb. A batch has one more for the test itself.
  MOST_OBJECTS = 14

  def setup
    super
    skip "built without libnghttp2" unless Raffia::Native.http2?
    @log = StringIO.new
  end

  def test_a_websocket
    app = lambda do |env|
      Raffia::Server::WebSocket.open(env, origins: :any) do |socket|
        socket.each { |message| socket.write(message.upcase) }
      end
    end
    connect(app, websockets_over_http2: :native) do |client|
      assert_equal 1, client.peer_settings[8]
      client.write(FRAMES.headers(1, connect_fields, flags: [:end_headers]))
      head = client.take(:headers)
      assert_equal "200", head.fields.assoc(":status").last, @log.string
      assert_nil head.fields.assoc("sec-websocket-accept")
      client.write(FRAMES.data(1, [0x81, 0x83, 0].pack("CCN") << "abc", flags: []))
      assert_equal "\x81\x03ABC".b, client.take(:data).payload
      client.write(FRAMES.data(1, [0x88, 0x82, 0, 1000].pack("CCNn"), flags: []))
      frames = [client.take(:data)]
      frames << client.take(:data) until frames.last.flag?(:end_stream)
      assert_equal "\x88\x02\x03\xE8".b, frames.map(&:payload).join
    end
    assert_empty @log.string
  end

  def test_websockets_are_not_offered_by_themselves
    connect(->(_) { [200, TEXT, []] }) { |client| assert_equal 0, client.peer_settings[8].to_i }
  end

  def test_a_hijack_header_is_a_stream
    app = lambda do |_env|
      hijack = lambda do |stream|
        Thread.new do
          stream.write("from a thread")
          stream.close
        end
      end
      [200, {**TEXT, "rack.hijack" => hijack}, []]
    end
    connect(app) { |client| assert_equal "from a thread", client.get(1).body }
  end

  # The application still writes to it, and the server buffers.
  def test_a_stream_that_was_lent_keeps_its_place_until_the_application_closes_it
    streams = Thread::Queue.new
    app = lambda do |env|
      (env["PATH_INFO"] == "/lent") ? [200, {"rack.hijack" => streams.method(:push)}, []] :
        [200, TEXT, []]
    end
    connect(app, http2_max_streams: 1) do |client|
      client.request(1, "/lent")
      stream = streams.pop
      client.write(FRAMES.rst_stream(1))
      client.request(3)
      assert_equal :refused_stream, client.take(:rst_stream, stream: 3).error
      begin
        stream.close
      rescue Raffia::Server::Disconnected
        nil # the client was here
      end
      last = 3
      wait_until do
        client.request(last += 2)
        client.take(stream: last) { |one| %i[headers rst_stream].include?(one.type) }.type ==
          :headers
      end
    end
  end

  def test_a_stream_goes_both_ways
    app = lambda do |_env|
      body = lambda do |stream|
        while (piece = stream.read(3))
          stream.write(piece.upcase)
        end
        stream.close
      end
      [200, TEXT, body]
    end
    connect(app) do |client|
      client.request(1, "/", method: "POST", flags: [:end_headers])
      client.write(FRAMES.data(1, "abc", flags: []))
      assert_equal "ABC", client.take(:data).payload
      client.write(FRAMES.data(1, "def"))
      assert_equal "DEF", client.response(1).body
    end
  end

  def test_trailers_of_a_request
    app = lambda do |env|
      before = env["raffia.trailers"].call
      env["rack.input"].read
      [200, TEXT, [[before, env["raffia.trailers"].call].inspect]]
    end
    connect(app) do |client|
      client.request(1, "/", method: "POST", flags: [:end_headers])
      client.write(FRAMES.data(1, "abc", flags: []), FRAMES.headers(1, [["x-sum", "1"]]))
      assert_equal [nil, {"x-sum" => "1"}].inspect, client.response(1).body
    end
  end

  def test_an_answer_before_the_end_of_the_body_stops_it
    connect(->(_) { [200, TEXT, ["early"]] }) do |client|
      client.request(1, "/", method: "POST", flags: [:end_headers])
      assert_equal "early", client.response(1).body
      assert_equal :no_error, client.take(:rst_stream, stream: 1).error
      client.write(FRAMES.data(1, "late", flags: []))
      assert_equal "early", client.get(3).body
    end
  end

  def test_trailers_on_http_1
    app = lambda do |env|
      trailers = env["raffia.response_trailers"]
      [200, TEXT, Enumerator.new do |pieces|
        pieces << "abc"
        trailers["x-sum"] = "1" if trailers
      end]
    end
    serve(app) do |server|
      {"te: trailers\r\n" => "0\r\nx-sum: 1\r\n\r\n", "" => "0\r\n\r\n"}.each do |field, ending|
        socket = TCPSocket.new("127.0.0.1", server.port)
        socket.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n#{field}\r\n")
        assert socket.read.end_with?("3\r\nabc\r\n#{ending}")
      ensure
        socket&.close
      end
    end
  end

  # Memory is moved and freed while streams wait.
  def test_garbage_collections
    app = lambda do |env|
      GC.start
      GC.verify_compaction_references(toward: :empty, expand_heap: false) if compacts?
      [200, TEXT, [env["rack.input"].read.to_s * 3]]
    end
    connect(app) do |client|
      client.refill = true
      5.times do |n|
        client.request(n * 2 + 1, "/", method: "POST", flags: [:end_headers])
        client.write(FRAMES.data(n * 2 + 1, "x" * 16_000, flags: []))
      end
      5.times { |n| client.write(FRAMES.data(n * 2 + 1, "y" * 10_000)) }
      expected = ("x" * 16_000 + "y" * 10_000) * 3
      5.times { |n| assert_equal expected, client.response(n * 2 + 1).body }
    end
  end

  def test_the_objects_of_a_request
    made = []
    app = lambda do |_env|
      made << GC.stat(:total_allocated_objects)
      [200, TEXT, ["hello"]]
    end
    connect(app) do |client|
      200.times { |n| client.get(n * 2 + 1) }
      made.clear
      frames = Array.new(90) { |n| FRAMES.headers(n * 2 + 1001, client.request_fields) }.join
      client.write(frames) # the server gets them in one piece, and the client makes nothing
      90.times { |n| client.response(n * 2 + 1001) }
      each = made.each_cons(2).map { |before, after| after - before }.sort
      assert_operator each[45], :<=, MOST_OBJECTS, each.tally.to_s
    end
  end

  def test_a_late_cancellation_ends_no_other_request
    app = lambda do |env|
      (env["PATH_INFO"] == "/cancel") ? Raffia::Task.current.cancel : sleep(0.001)
      [200, TEXT, ["ok"]]
    end
    connect(app) do |client|
      paths = %w[/cancel / / /]
      client.write(paths.each_with_index.map do |path, n|
        FRAMES.headers(n * 2 + 1, client.request_fields(path))
      end.join)
      assert_equal [200] * 4, Array.new(4) { |n| client.response(n * 2 + 1).status }
    end
  end

  # One fiber receives and serves. It is replaced when it waits, and also when it ends.
  def test_a_request_that_ends_its_own_fiber_leaves_the_others
    gate = Thread::Queue.new
    app = lambda do |env|
      case env["PATH_INFO"]
      when "/wait" then gate.pop
      when "/kill" then Fiber.current.kill
      end
      [200, TEXT, ["ok"]]
    end
    connect(app) do |client|
      client.request(1, "/wait")
      assert_equal 500, client.get(3, "/kill").status
      assert_equal [200, 500, 200], [[5, "/"], [7, "/kill"], [9, "/"]].map { client.get(*_1).status }
      gate << :go
      assert_equal 200, client.response(1).status
    end
  end

  def test_a_task_that_is_cancelled_after_its_request
    tasks = Thread::Queue.new
    app = lambda do |_env|
      tasks << Raffia::Task.current
      [200, TEXT, ["ok"]]
    end
    connect(app) do |client|
      3.times do |n|
        assert_equal 200, client.get(n * 2 + 1).status
        tasks.pop.cancel
      end
      assert_equal 200, client.get(7).status
    end
  end

  # More than one request waits, and each in the fiber that received it.
  def test_requests_that_wait_leave_their_connection_to_others
    app = lambda do |env|
      sleep(env["PATH_INFO"].delete_prefix("/").to_f / 1000)
      [200, TEXT, [env["PATH_INFO"]]]
    end
    connect(app) do |client|
      20.times { |n| client.request(n * 2 + 1, "/#{n % 4 * 5}") }
      20.times { |n| assert_equal "/#{n % 4 * 5}", client.response(n * 2 + 1).body }
      assert_equal "/0", client.get(41, "/0").body
    end
  end

  private

  def compacts? = GC.respond_to?(:verify_compaction_references)

  def connect_fields
    [[":method", "CONNECT"], [":protocol", "websocket"], [":scheme", "http"], [":path", "/"],
      [":authority", "localhost"], %w[sec-websocket-version 13]]
  end

  def serve(app, **options, &)
    Raffia::Server.start(app, logger: Logger.new(@log, level: :warn), **options, &)
  end

  def connect(app, **options, &)
    serve(app, **options) { |server| TestSupport::HTTP2::Connection.open(server.port, &) }
  end
end
