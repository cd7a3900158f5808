# frozen_string_literal: true

require_relative "server_contract"

# HTTP/1's C code holds Strings and sockets while its fiber waits: with the collector at work at
# every allocation, and objects that move.
module ServerGCTest
  # A String, because a child process uses it too.
  APP = <<~RUBY
    pieces = Array.new(3) { |index| index.to_s * 30_000 }.freeze
    lambda do |env|
      env["rack.response_finished"] << ->(*) {}
      case env["PATH_INFO"]
      when "/array"
        [200, {"content-type" => +"text/plain", "set-cookie" => [+"a=1", +"b=2"]},
          [+"hello", +" world"]]
      when "/large" then [200, {}, pieces.map(&:dup)]
      when "/each" then [200, {}, pieces.each_with_index.lazy.map { |piece, _| piece.dup }.each]
      when "/stream" then [200, {}, ->(stream) { pieces.each { |piece| stream << piece.dup } }]
      when "/echo" then [200, {}, [env["rack.input"].read]]
      else raise "not found"
      end
    end
  RUBY
  WHOLE = Array.new(3) { |index| index.to_s * 30_000 }.join.freeze

  def app = eval(APP) # standard:disable Security/Eval

  def test_with_objects_that_move
    skip "this Ruby does not compact" unless GC.respond_to?(:compact)
    serve(app, lint: false) do |server|
      slow = server.connect.say("GET /large HTTP/1.1\r\nhost: x\r\n\r\n")
      server.connect do |client|
        3.times do
          GC.compact
          assert_equal "hello world", client.get("/array").body
          assert_equal WHOLE, client.get("/large").body
        end
      end
      assert_equal WHOLE, slow.answer.body
    end
  end

  ServerContract.run(self)
end

# The C code is the same on all back ends, so this slow test runs on one, in a process with few
# objects, because each collection marks all of them. Before the first answer, which makes most
# objects, only young ones are collected.
class ServerStressTest < Raffia::TestCase
  PROGRAM = <<~RUBY
    require "raffia/server"
    Raffia::Server.start(eval($stdin.gets("\\0").chomp("\\0")), log: File::NULL) do |server|
      $stdout << server.port << "\\n"
      $stdout.flush
      GC.stress = 1
      $stdin.gets
      GC.stress = true
      $stdin.read
      GC.stress = false
    end
  RUBY

  def test_with_the_collector_always_at_work
    skip "HTTP/1 needs the extension" unless Raffia::Native.available?
    with_server do |client, program|
      assert_equal "hello world", client.get("/array").body
      program.puts
      assert_equal %w[hello\ world text/plain],
        client.get("/array").then { |answer| [answer.body, answer["content-type"]] }
      %w[/large /stream].each do |path|
        assert_equal ServerGCTest::WHOLE, client.get(path).body, path
      end
      assert_equal "x" * 100, client.post("/echo", "x" * 100).body
      client.say("GET /array HTTP/1.1\r\nhost: x\r\n\r\n" * 3)
      3.times { assert_equal "hello world", client.answer.body }
    end
  end

  private

  def with_server
    lib = File.expand_path("../../../lib", __dir__)
    program = IO.popen([RbConfig.ruby, "-W0", "-I#{lib}", "-e",
      PROGRAM], "r+")
    program.write(ServerGCTest::APP, "\0")
    socket = TCPSocket.new("127.0.0.1", Integer(program.gets))
    socket.timeout = 150 # it is slow
    yield ServerContract::Client.new(socket), program
  ensure
    socket&.close
    program.close
    assert_predicate $?, :success?
  end
end
