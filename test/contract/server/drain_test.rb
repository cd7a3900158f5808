# frozen_string_literal: true

require "raffia/actor"
require_relative "server_contract"

# How a worker comes to its end. Clients close when they have seen the end of their connection: the
# server would wait for that.
module ServerDrainTest
  TEXT = {"content-type" => "text/plain"}.freeze

  def test_requests_in_flight_end_with_connection_close
    gate = Thread::Queue.new
    serve(->(_) { gate.pop && [200, TEXT.dup, ["late"]] }) do |server|
      client = server.connect.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
      eventually { gate.num_waiting == 1 }
      server.worker.stop
      eventually { server.worker.context.drain.begun? }
      gate << true
      answer = client.answer
      assert_equal ["late", "close"], [answer.body, answer["connection"]]
      ended(client)
      server.thread.value
    end
  end

  def test_idle_connections_are_closed
    serve(->(_) { [200, TEXT.dup, ["x"]] }) do |server|
      fresh = server.connect
      used = server.connect
      used.get
      eventually { server.worker.connections.size == 2 }
      server.drain
      assert [fresh, used].all?(&:ended?)
    end
  end

  def test_a_request_that_comes_while_the_worker_drains_is_served
    serve(->(_) { [200, TEXT.dup, ["x"]] }) do |server|
      clients = Array.new(2) { server.connect }
      clients.first.get
      eventually { server.worker.connections.size == 2 }
      server.worker.stop
      eventually { server.worker.context.drain.begun? }
      clients.each { |client| client.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n") }
      clients.each do |client|
        assert_equal ["x", "close"], client.answer
          .then { |answer| [answer.body, answer["connection"]] }
        ended(client)
      end
      server.thread.value
    end
  end

  def test_requests_that_were_pipelined_before_are_served_up_to_the_next_response
    gate = Thread::Queue.new
    serve(->(_) { gate.pop && [200, TEXT.dup, ["x"]] }) do |server|
      client = server.connect.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n" * 3)
      eventually { gate.num_waiting == 1 }
      server.worker.stop
      eventually { server.worker.context.drain.begun? }
      3.times { gate << true }
      assert_equal "close", client.answer["connection"]
      ended(client)
      server.thread.value
    end
  end

  def test_requests_beyond_the_grace_are_given_up
    serve(->(_) { sleep }, drain_timeout: 0.2) do |server|
      client = server.connect.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
      eventually { server.worker.connections.cycles.any? }
      server.worker.stop
      assert_equal 503, client.answer.status
      ended(client)
      server.thread.value
    end
    assert_match(/gives up 1 request/, log)
  end

  def test_a_second_stop_does_not_wait
    serve(->(_) { sleep }) do |server|
      client = server.connect.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
      eventually { server.worker.connections.cycles.any? }
      server.worker.stop
      server.worker.stop(:now)
      assert_equal 503, client.answer.status
      ended(client)
      server.thread.value
    end
  end

  def test_nothing_is_accepted_any_more
    gate = Thread::Queue.new
    serve(->(_) { gate.pop && [200, TEXT.dup, ["x"]] }) do |server|
      client = server.connect.say("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
      eventually { gate.num_waiting == 1 }
      server.worker.stop
      eventually { server.worker.context.drain.begun? }
      server.connect
      assert_equal 1, server.worker.connections.size
      gate << true
      client.answer
      ended(client)
      server.thread.value
      assert_equal 0, server.worker.connections.size
    end
  end

  # Clients send as fast as they can meanwhile: each request is answered, or its connection was
  # closed before it was sent.
  def test_no_request_is_lost_in_between
    serve(->(_) { [200, TEXT.dup, ["x"]] }) do |server|
      lost = Thread::Queue.new
      count = Thread::Queue.new
      clients = Array.new(8) do
        client = server.connect
        Thread.new do
          loop do
            answer = client.get
            count << true
            break if answer["connection"] == "close"
          end
        rescue IOError, SystemCallError => error
          lost << error
        ensure
          client.close
        end
      end
      eventually { count.size > 100 }
      server.drain
      clients.each(&:join)
      assert lost.empty?, -> { lost.pop.full_message }
    end
  end

  def test_a_farewell_that_fails_in_any_way_keeps_no_other_from_its_turn
    said = Thread::Queue.new
    app = lambda do |env|
      env["raffia.drain"].call { raise NotImplementedError, "a farewell" }
      env["raffia.drain"].call { exit }
      env["raffia.drain"].call { said << true }
      [200, TEXT.dup, ["ok"]]
    end
    serve(app) do |server|
      server.get
      server.drain
      server.thread.value
      assert_equal 1, said.size
    end
    assert_match(/a farewell.*SystemExit/m, log)
  end

  # Requests may have spawned fibers that never end; no grace would end here.
  class Counter < Raffia::Actor
    def add = @count = @count.to_i + 1
  end

  def test_actors_are_not_waited_for
    counter = nil
    app = ->(_) { [200, TEXT.dup, [(counter ||= Counter.spawn).add.to_s]] }
    serve(app, drain_timeout: nil) do |server|
      client = server.connect
      assert_equal %w[1 2], Array.new(2) { client.get.body }
      server.drain
      ended(client)
      server.thread.value
      assert_equal [:dead, :shutdown], [counter.status, counter.reason]
    end
  end

  private

  def ended(client)
    assert_predicate client, :ended?
    client.close
  end

  ServerContract.run(self)
  ServerContract.run_on_threads(self, without: %i[test_actors_are_not_waited_for])
end
