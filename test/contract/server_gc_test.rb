# frozen_string_literal: true

require_relative "server_contract"

# The wire's C code holds Strings and sockets while its fiber waits: with the collector at work at every allocation, and objects that move.
module ServerGCTest
  PIECES = Array.new(3) { |index| index.to_s * 30_000 }.freeze
  private_constant :PIECES

  def app
    lambda do |env|
      env["rack.response_finished"] << ->(*) {}
      case env["PATH_INFO"]
      when "/array" then [200, {"content-type" => +"text/plain", "set-cookie" => [+"a=1", +"b=2"]}, [+"hello", +" world"]]
      when "/large" then [200, {}, PIECES.map(&:dup)]
      when "/each" then [200, {}, PIECES.each_with_index.lazy.map { |piece, _| piece.dup }.each]
      when "/stream" then [200, {}, ->(stream) { PIECES.each { |piece| stream << piece.dup } }]
      when "/echo" then [200, {}, [env["rack.input"].read]]
      else raise "not found"
      end
    end
  end

  def test_with_objects_that_move
    skip "this Ruby does not compact" unless GC.respond_to?(:compact)
    serve(app, lint: false) do |server|
      slow = server.connect.say("GET /large HTTP/1.1\r\nhost: x\r\n\r\n")
      server.connect do |client|
        3.times do
          GC.compact
          assert_equal "hello world", client.get("/array").body
          assert_equal PIECES.join, client.get("/large").body
        end
      end
      assert_equal PIECES.join, slow.answer.body
    end
  end

  ServerContract.run(self)
end

# What is said in C is the same on all back ends, so the slowest of tests is done on one.
class ServerStressTest < Raffia::TestCase
  include ServerContract
  include ServerGCTest

  undef_method :test_with_objects_that_move

  def backend = ServerContract::BACKENDS.first

  def test_with_the_collector_always_at_work
    serve(app, lint: false) do |server|
      server.connect do |client|
        stressed do
          assert_equal %w[hello\ world text/plain], client.get("/array").then { |answer| [answer.body, answer["content-type"]] }
          %w[/large /stream].each { |path| assert_equal PIECES.join, client.get(path).body, path }
          assert_equal "x" * 100, client.post("/echo", "x" * 100).body
          client.say("GET /array HTTP/1.1\r\nhost: x\r\n\r\n" * 3)
          3.times { assert_equal "hello world", client.answer.body }
        end
      end
    end
  end

  private

  def stressed
    GC.stress = true
    yield
  ensure
    GC.stress = false
  end
end
