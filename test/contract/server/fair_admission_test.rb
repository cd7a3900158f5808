# frozen_string_literal: true

require_relative "server_contract"
require "support/http2/connection"

# Clients that wait for a place in the application.
module ServerFairAdmissionTest
  STREAMS = 100
  CLIENTS = 10

  # Without turns of connections, none of the ten would be among the first ones.
  def test_many_streams_of_one_connection_do_not_keep_others_out
    skip "built without libnghttp2" unless Raffia::Native.http2?
    gate = Thread::Queue.new
    served = Thread::Queue.new
    app = lambda do |env|
      gate.pop
      served << env["SERVER_PROTOCOL"]
      [200, {"content-type" => "text/plain"}, ["ok"]]
    end
    serve(app, lint: false, max_in_flight: 1, max_queue_time: 300) do |server|
      limiter = server.worker.context.admission.limiter
      TestSupport::HTTP2::Connection.open(server.listener.port) do |many|
        STREAMS.times { |number| many.request(number * 2 + 1) }
        eventually { limiter.waiting == STREAMS - 1 }
        clients = Array.new(CLIENTS) { server.connect.say("GET / HTTP/1.1\r\nhost: test\r\n\r\n") }
        eventually { limiter.waiting == STREAMS - 1 + CLIENTS }
        # One stream is in the application, and one has the turn before theirs.
        (CLIENTS + 2).times { gate << true }
        assert_equal %w[ok], clients.map { |client| client.answer.body }.uniq
        eventually { served.size == CLIENTS + 2 }
        first = Array.new(served.size) { served.pop }
        assert_equal({"HTTP/2" => 2, "HTTP/1.1" => CLIENTS}, first.tally)
        (STREAMS - 2).times { gate << true }
        STREAMS.times { |number| assert_equal 200, many.response(number * 2 + 1).status }
      end
    end
  end

  ServerContract.run(self)
  ServerContract.run_on_threads(self)
end
