# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"

# IO#close while others wait for the IO. Ruby raises in the real thread of the waiter, which all
# simulated threads share.
class SimulationCloseTest < Raffia::TestCase
  CLOSED = "stream closed in another thread"

  def test_waits_of_threads_end_with_an_error
    waits = {gets: [], read: [], readpartial: [9], getc: [], recv: [9], wait_readable: []}
    explore do
      waits.each do |name, arguments|
        one, two = UNIXSocket.pair
        reader = reader(one) { one.public_send(name, *arguments) }
        sleep(1)
        assert_nil one.close
        assert_equal [CLOSED, true], [reader.value, one.closed?]
        two.close
      end
    end
  end

  def test_tcp_pipe_udp_and_a_writer
    explore do
      server = TCPServer.new("127.0.0.1", 80)
      client, other = Array.new(2) { TCPSocket.new("127.0.0.1", 80) }
      accepted = Array.new(2) { server.accept }.last
      pipe, out = IO.pipe
      datagrams = UDPSocket.new.tap { |socket| socket.bind("127.0.0.1", 90) }
      waits = [reader(client) { client.gets }, reader(accepted) { accepted.write("a" * 10_000_000) },
        reader(server) { server.accept }, reader(pipe) { pipe.read },
        reader(datagrams) { datagrams.recvfrom(9) }]
      sleep(1)
      [client, other, accepted, server, pipe, out, datagrams].each(&:close)
      assert_equal [true] * 5, waits.map { |thread| thread.value.is_a?(String) }
    end
  end

  def test_fibers
    explore do
      Raffia.run do |scope|
        one, two = UNIXSocket.pair
        task = scope.spawn { error_of { one.gets } }
        sleep(1)
        one.close
        assert_equal CLOSED, task.value
        two.close
      end
    end
  end

  def test_two_close_it_while_two_wait
    explore do
      one, two = UNIXSocket.pair
      readers = Array.new(2) { reader(one) { one.read } }
      sleep(1)
      Array.new(2) { Thread.new { one.close } }.each(&:join)
      assert_equal [CLOSED] * 2, readers.map(&:value)
      two.close
    end
  end

  def test_a_wait_that_got_what_it_waited_for_may_go_on
    explore do
      one, two = UNIXSocket.pair
      reader = reader(one) { one.gets }
      sleep(1)
      Thread.new { two.puts("a") }.join
      one.close
      assert_includes ["a\n", CLOSED], reader.value
      two.close
    end
  end

  # The closing thread kept a Mutex of Ruby's, and the process crashed when that was collected.
  def test_hosts_crash_while_their_threads_read
    explore(runs: 200) do |sim|
      sim.host("server") do
        server = TCPServer.new("0.0.0.0", 80)
        loop { server.accept.then { |client| Thread.new { client.gets } } }
      end
      sim.sleep(1)
      client = TCPSocket.new("server", 80)
      sim.sleep(1)
      sim.crash("server")
      assert_raises(Errno::ECONNRESET) { client.readpartial(9) }
      sim.restart("server")
      sim.sleep(1)
      TCPSocket.new("server", 80).close
    end
    GC.start
  end

  private

  def explore(runs: 20, **options, &block)
    Raffia::Simulation.explore(runs: runs, **options, &block).raise!
  end

  def reader(io, &block) = Thread.new { error_of(&block) }

  def error_of
    yield
  rescue IOError => error
    error.message
  end
end
