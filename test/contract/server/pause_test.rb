# frozen_string_literal: true

require_relative "server_contract"

# A worker that takes no requests for some time, because another one with newer code is about to.
module ServerPauseTest
  TEXT = {"content-type" => "text/plain"}.freeze

  def test_connections_that_are_idle_end_and_new_ones_wait
    gate = Thread::Queue.new
    app = lambda do |env|
      gate.pop if env["PATH_INFO"] == "/slow"
      [200, TEXT.dup, ["ok"]]
    end
    serve(app) do |server|
      idle = server.connect
      assert_equal "ok", idle.get.body
      slow = server.connect.say("GET /slow HTTP/1.1\r\nhost: test\r\n\r\n")
      eventually { gate.num_waiting == 1 }
      server.worker.pause(600)
      assert_predicate idle, :ended?
      waiting = server.connect.say("GET / HTTP/1.1\r\nhost: test\r\n\r\n")
      gate << true
      answer = slow.answer
      assert_equal %w[ok close], [answer.body, answer["connection"]]
      eventually { server.connections.zero? }
      server.worker.release
      assert_equal "ok", waiting.answer.body
      assert_equal "ok", waiting.get.body
    end
  end

  def test_it_ends_by_itself
    serve(->(_env) { [200, TEXT.dup, ["ok"]] }) do |server|
      idle = server.connect
      idle.get
      server.worker.pause(0.2)
      assert_predicate idle, :ended?
      assert_equal "ok", server.get.body
    end
  end

  # The worker that takes over has the same sockets.
  def test_what_waits_is_left_to_the_next_worker
    serve(->(_env) { [200, TEXT.dup, ["ok"]] }) do |server|
      idle = server.connect
      idle.get
      server.worker.pause(600)
      assert_predicate idle, :ended?
      server.connect.say("GET / HTTP/1.1\r\nhost: test\r\n\r\n")
      server.worker.on_stop_accepting {}
      server.drain
      assert server.listener.socket.wait_readable(Raffia::TestCase::PATIENCE)
    end
  end

  ServerContract.run(self)
  ServerContract.run_on_threads(self)
end
