# frozen_string_literal: true

require_relative "server_contract"
require "raffia/server/observability/metrics/totals"
require "support/http2/connection"

# HTTP/2 on each back end, and from Ractors.
module ServerHTTP2Test
  include TestSupport::HTTP2::Frames

  LARGE = ("x" * 96_000).freeze
  APP = lambda do |env|
    case env["PATH_INFO"]
    when "/echo" then [200, {}, [env["rack.input"].read]]
    when "/last" then [200, {"priority" => "u=7"}, [LARGE]]
    when "/first" then [200, {"priority" => "u=0"}, [LARGE]]
    else [200, {}, ->(stream) { stream.tap { _1 << "a" << "b" }.close }]
    end
  end

  def setup
    super
    skip "built without libnghttp2" unless Raffia::Native.http2?
  end

  def test_streams_at_a_time
    with_client do |client|
      client.refill = true
      ids = Array.new(10) { |n| n * 2 + 1 }
      ids.each { |id| client.request(id, "/echo", method: "POST", flags: [:end_headers]) }
      ids.each { |id| client.write(data(id, "#{id} " * 2000, flags: [])) }
      ids.reverse_each { |id| client.write(data(id, "end")) }
      ids.each { |id| assert_equal "#{id} " * 2000 + "end", client.response(id).body }
      assert_equal "ab", client.get(21, "/stream").body
    end
  end

  def test_resets_are_counted
    serve(APP, lint: false) do |server|
      client = TestSupport::HTTP2::Connection.new(server.connect.socket).greet
      3.times { |n| client.request(n * 2 + 1, "/echo", method: "POST", flags: [:end_headers]) }
      3.times { |n| client.write(rst_stream(n * 2 + 1)) }
      client.ping_pong
      client.close
      memory = server.worker.context.telemetry.counters.memory
      totals = Raffia::Server::Observability::Metrics::Totals
      eventually { totals.new(memory, [Process.pid]).counted(:h2_resets_received) == 3 }
    end
  end

  # The connection's window is closed until both responses wait.
  def test_the_priority_of_a_response
    with_client(initial_window_size: 1 << 20) do |client|
      client.request(1, "/last").take(:data, stream: 1)
      client.request(3, "/first").take(:headers, stream: 3)
      client.ping_pong
      client.write(window_update(0, 1 << 20))
      ended = []
      until ended.size == 2
        frame = client.take(:data)
        ended << frame.stream if frame.flag?(:end_stream)
      end
      assert_equal [3, 1], ended
    end
  end

  private

  def with_client(**settings)
    serve(APP, lint: false) do |server|
      socket = server.connect.socket
      yield TestSupport::HTTP2::Connection.new(socket).greet(settings)
    end
  end

  ServerContract.run(self)
  ServerContract.run_in_ractors(self, without: [:test_resets_are_counted])
end
