# frozen_string_literal: true

require_relative "http2_case"
require "support/http2/attacks"

# Each attack ends its own connection, with the code that says why; neighbours are served
# meanwhile, and neither requests nor memory are held after it.
class HTTP2AttacksTest < HTTP2Case
  # Far above what one connection may hold: its limits are under 10 MB.
  MOST_MEMORY = 64 << 20

  Attacks::ALL.each do |attack|
    define_method("test_#{attack.name.tr("^A-Za-z", "_").squeeze("_")}") { assert_repelled(attack) }
  end

  # A fiber has a stack, and a process can have some 31,000.
  def test_connections_that_are_ended_leave_no_fiber
    attack = Attacks::ALL.find { |one| one.name == "SETTINGS flood" }
    before = count_fibers
    40.times do
      Connection.open(SharedServer.port, settings: attack.settings) do |client|
        attack.run(client)
        assert client.goaway_at_end
      end
    end
    wait_until { count_fibers - before < 20 } # some may be found on stacks
  end

  # Clients of gRPC ask by PING whether their connection lives, some of them often.
  def test_pings_that_keep_a_connection_are_answered
    Connection.open(SharedServer.port) do |client|
      90.times { |n| client.ping_pong([n].pack("Q")) }
      assert_served(client.request(1), 1)
    end
  end

  # Each one's window is closed, so all responses wait.
  def test_a_client_that_does_not_read_has_bounded_responses
    Connection.open(SharedServer.port, settings: {initial_window_size: 0}) do |client|
      client.write(*Array.new(100) { |n| headers(n * 2 + 1, client.request_fields("/large")) })
      100.times { client.take(:headers) }
      assert_lives(client)
      assert_memory { assert_neighbour_served }
    end
    assert_nothing_runs
  end

  # Its fiber has ended long ago in all other tests.
  def test_a_stream_that_was_reset_keeps_its_place_until_its_fiber_has_ended
    limit = 100
    Connection.open(SharedServer.port) do |client|
      ids = Array.new(limit + 1) { |n| n * 2 + 1 }
      ids.first(limit).each { |id| client.request(id, "/stubborn") }
      wait_until { SharedServer::RUNNING.size == limit }
      client.write(*ids.first(limit).map { |id| rst_stream(id) })
      client.request(ids.last)
      assert_equal :refused_stream, client.take(:rst_stream, stream: ids.last).error
      limit.times { SharedServer::GATE << true }
      wait_until { SharedServer::RUNNING.empty? }
      assert_served(client.request(ids.last + 2), ids.last + 2)
    end
  ensure
    SharedServer::GATE.clear
  end

  private

  def assert_repelled(attack)
    assert_memory do
      Connection.open(SharedServer.port, settings: attack.settings) do |client|
        client.answer_pings = false
        attack.run(client)
        assert_neighbour_served
        assert_connection_error(client, *attack.errors)
      end
    end
    assert_nothing_runs
    assert_operator SharedServer.most_running, :<=, 100
  end

  def assert_neighbour_served
    Connection.open(SharedServer.port) { |neighbour| assert_equal 200, neighbour.get(1).status }
  end

  def count_fibers
    GC.start
    ObjectSpace.each_object(Fiber).count
  end

  def assert_nothing_runs = wait_until { SharedServer::RUNNING.empty? }

  def assert_memory
    before = resident
    yield
    assert_operator resident - before, :<, MOST_MEMORY
  end

  # @return [Integer] bytes of this process
  def resident = File.read("/proc/self/statm").split[1].to_i * 4096
end
