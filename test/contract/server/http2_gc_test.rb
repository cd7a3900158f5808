# frozen_string_literal: true

require "test_helper"
require "raffia/server"
require "support/http2/connection"

# HTTP/2's C code keeps Strings, Hashes, queues and streams while fibers wait: with the collector at
# work at every allocation, and with objects that move at each request. The server is a process of
# its own with few objects.
class HTTP2GCTest < Raffia::TestCase
  FRAMES = TestSupport::HTTP2::Frames
  # Seconds. The server is slow.
  PATIENCE = 150
  PROGRAM = <<~'RUBY'
    require "raffia/server"
    require "raffia/server/websocket"
    mode = ARGV.first
    pieces = Array.new(3) { |index| index.to_s * 30_000 }.freeze
    app = lambda do |env|
      if mode == "compact"
        GC.verify_compaction_references(toward: :empty, expand_heap: false)
      end
      case env["PATH_INFO"]
      when "/array"
        [200, {"content-type" => +"text/plain", "set-cookie" => [+"a=1", +"b=2"]},
          [+"hello", +" ", +"world"]]
      when "/large" then [200, {}, [pieces.join]]
      when "/stream" then [200, {}, ->(stream) { pieces.each { |piece| stream << piece.dup } }]
      when "/echo"
        body = env["rack.input"].read
        env["raffia.response_trailers"]&.store("x-sum", env["raffia.trailers"].call.inspect)
        [200, {"x-length" => body.bytesize.to_s}, [body]]
      when "/socket"
        Raffia::Server::WebSocket.open(env, origins: :any) do |socket|
          socket.each { |message| socket.write(message.upcase) }
        end
      else raise "not found"
      end
    end
    Raffia::Server.start(app, log: File::NULL, websockets_over_http2: :native, idle_timeout: nil,
      head_timeout: nil, write_timeout: nil) do |server|
      $stdout << server.port << "\n"
      $stdout.flush
      $stdin.gets
      GC.stress = true if mode == "stress"
      GC.auto_compact = true if mode == "compact"
      $stdin.gets
      server.stop
      GC.stress = false
    end
  RUBY

  def setup
    super
    skip "built without libnghttp2" unless Raffia::Native.http2?
  end

  def test_with_the_collector_always_at_work = run_all("stress")

  def test_with_objects_that_move
    skip "this Ruby does not compact" unless GC.respond_to?(:verify_compaction_references)
    run_all("compact")
  end

  private

  def run_all(mode)
    with_server(mode) do |client, program|
      assert_equal "hello world", client.get(1, "/array").body # most objects are made here
      assert_websocket(client, 3)
      program.puts
      assert_heads(client)
      assert_bodies(client)
      assert_resets(client)
      assert_websocket(client, 31)
      program.puts
      assert_equal :no_error, client.goaway_at_end.error
    end
  end

  def assert_heads(client)
    fields = [%w[cookie a=1], %w[cookie b=2], ["x-long", "y" * 5000], %w[x-same 1], %w[x-same 2]]
    response = client.get(5, "/array", fields:)
    assert_equal ["hello world", "text/plain", %w[a=1 b=2]],
      [response.body, response["content-type"],
        response.fields.filter_map { |name, value| value if name == "set-cookie" }]
    ids = [7, 9, 11]
    ids.each { |id| client.request(id, "/array") }
    ids.each { |id| assert_equal "hello world", client.response(id).body }
  end

  def assert_bodies(client)
    whole = Array.new(3) { |index| index.to_s * 30_000 }.join
    %w[/large /stream].each_with_index do |path, n|
      assert_equal whole, client.get(13 + n * 2, path).body, path
    end
    client.request(17, "/echo", method: "POST", fields: [%w[te trailers]], flags: [:end_headers])
    client.write(FRAMES.data(17, "x" * 10_000, flags: []), FRAMES.data(17, "y" * 5_000, flags: []))
    client.write(FRAMES.headers(17, [%w[x-check 1]]))
    response = client.response(17)
    assert_equal ["x" * 10_000 + "y" * 5_000, {"x-check" => "1"}.inspect],
      [response.body, response.trailers.to_h["x-sum"]]
  end

  # In the middle of an upload, of a response, and before the application has begun.
  def assert_resets(client)
    client.request(19, "/echo", method: "POST", flags: [:end_headers])
    client.write(FRAMES.data(19, "half", flags: []), FRAMES.rst_stream(19))
    client.refill = false
    client.request(21, "/large").take(:data, stream: 21)
    client.write(FRAMES.rst_stream(21))
    client.refill = true
    client.write(FRAMES.headers(23, client.request_fields("/array")), FRAMES.rst_stream(23))
    client.request(25, fields: [["bad", "\0"]])
    assert_equal :protocol_error, client.take(:rst_stream, stream: 25).error
    client.write(FRAMES.window_update(0, 60_000))
    assert_equal "hello world", client.get(27, "/array").body
  end

  def assert_websocket(client, id)
    client.write(FRAMES.headers(id, [[":method", "CONNECT"], [":protocol", "websocket"],
      [":scheme", "http"], [":path", "/socket"], [":authority", "localhost"],
      %w[sec-websocket-version 13]], flags: [:end_headers]))
    assert_equal "200", client.take(:headers, stream: id).fields.assoc(":status").last
    client.write(FRAMES.data(id, [0x81, 0x83, 0].pack("CCN") << "abc", flags: []))
    assert_equal "\x81\x03ABC".b, client.take(:data, stream: id).payload
    client.write(FRAMES.data(id, [0x88, 0x82, 0, 1000].pack("CCNn"), flags: []))
    assert_equal "\x88\x02\x03\xE8".b, client.take(:data, stream: id).payload
  end

  def with_server(mode)
    lib = File.expand_path("../../../lib", __dir__)
    program = IO.popen([RbConfig.ruby, "-W0", "-I#{lib}", "-e", PROGRAM, mode], "r+")
    socket = TCPSocket.new("127.0.0.1", Integer(program.gets))
    client = TestSupport::HTTP2::Connection.new(socket, patience: PATIENCE)
    client.refill = true
    client.greet
    yield client, program
    ended = true
  ensure
    socket&.close
    Process.kill(:KILL, program.pid) unless ended
    program.close
    assert_predicate $?, :success? if ended
  end
end
