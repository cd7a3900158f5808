# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"
require "socket"
require "tmpdir"

# Links, hosts and crashes of the simulated network.
class SimulationNetworkTest < Raffia::TestCase
  PORT = 5432

  def test_hosts_talk_by_name
    in_world do |sim|
      sim.host("db") { serve { |socket| socket.puts("#{socket.peeraddr[3]} #{socket.gets}") } }
      sim.settle
      assert_equal "10.0.0.1 hi\n", talk("db", "hi")
    end
  end

  def test_each_way_takes_its_latency
    in_world do |sim|
      sim.network.latency = 0.5
      sim.host("db") { serve { |socket| socket.puts(socket.gets) } }
      socket = TCPSocket.new("db", PORT)
      assert_in_delta 1.0, sim.now
      socket.puts "x"
      socket.gets
      assert_in_delta 2.0, sim.now
      socket.close
    end
  end

  def test_latencies_are_drawn_from_a_range
    times = in_world do |sim|
      sim.network.latency = 1..2
      sim.host("db") { serve { |socket| socket.puts(socket.gets) } }
      5.times.map do
        before = sim.now
        talk("db", "x")
        sim.now - before
      end
    end

    assert(times.all? { |time| time.between?(4, 8) }, times.inspect)
    assert_equal 5, times.uniq.size
  end

  def test_bandwidth_delays_bytes
    in_world do |sim|
      sim.network.latency = 0
      sim.network.bandwidth = 1_000
      sim.host("db") { serve { |socket| socket.write("x" * 5_000) } }
      socket = TCPSocket.new("db", PORT)
      assert_equal 5_000, socket.read.bytesize
      assert_in_delta 5.0, sim.now
      socket.close
    end
  end

  def test_a_closed_port_refuses
    in_world do |sim|
      sim.host("db") { sleep }
      error = assert_raises(Errno::ECONNREFUSED) { TCPSocket.new("db", PORT) }
      assert_includes error.message, "port #{PORT}"
      assert_in_delta 0.002, sim.now
    end
  end

  def test_a_partition_delays_bytes_until_it_heals
    in_world do |sim|
      sim.host("db") { serve { |socket| socket.puts(socket.gets) } }
      socket = TCPSocket.new("db", PORT)
      sim.partition("main", "db")
      socket.puts "late"
      sim.at(10) { sim.heal }
      assert_equal "late\n", socket.gets
      assert_operator sim.now, :>, 10
      socket.close
    end
  end

  def test_a_partition_without_end_times_out
    in_world do |sim|
      sim.host("db") { serve { |socket| socket.puts(socket.gets) } }
      socket = TCPSocket.new("db", PORT)
      sim.partition("db", direction: :to)
      socket.puts "arrives"
      assert_nil socket.wait_readable(5)
      sim.partition("db", direction: :from)
      socket.puts "lost"
      assert_raises(Errno::ECONNRESET) { socket.gets }
      assert_operator sim.now, :>, 900
      socket.close
    end
  end

  def test_a_connect_to_a_partitioned_host_times_out
    in_world do |sim|
      sim.host("db") { serve { |socket| socket.puts(socket.gets) } }
      sim.partition("db")
      assert_raises(Errno::ETIMEDOUT) { TCPSocket.new("db", PORT) }
      assert_in_delta 127, sim.now, 0.01
      assert_raises(Errno::ETIMEDOUT) { TCPSocket.new("db", PORT, connect_timeout: 3) }
      assert_in_delta 130, sim.now, 0.01
    end
  end

  def test_held_packets_are_released_in_their_order
    in_world do |sim|
      sim.host("db") { serve { |socket| 3.times { socket.puts(socket.gets) } } }
      socket = TCPSocket.new("db", PORT)
      sim.hold("main", "db")
      3.times do |index|
        socket.puts(index)
        sim.sleep(1)
      end
      assert_nil socket.wait_readable(1)
      sim.release("main", "db")
      assert_equal %W[0\n 1\n 2\n], Array.new(3) { socket.gets }
      socket.close
    end
  end

  def test_a_reset_ends_connections
    in_world do |sim|
      sim.host("db") { serve(&:gets) }
      socket = TCPSocket.new("db", PORT)
      sim.at(1) { sim.reset("main", "db") }
      assert_raises(Errno::ECONNRESET) { socket.gets }
      assert_raises(Errno::EPIPE) { socket.write("x") }
      socket.close
    end
  end

  def test_a_crash_resets_connections_and_runs_no_ensure
    ended = []
    in_world do |sim|
      sim.host("db", restart: 5) do
        serve { |socket| socket.puts(socket.gets) }
      ensure
        ended << :ensure
      end
      socket = TCPSocket.new("db", PORT)
      sim.at(1) { sim.crash("db") }
      assert_raises(Errno::ECONNRESET) { socket.gets }
      socket.close
      assert_raises(Errno::ECONNREFUSED) { TCPSocket.new("db", PORT) }
      sim.sleep(6)
      assert_equal "back\n", talk("db", "back")
      assert_empty ended
    end
  end

  def test_a_silent_crash_leaves_connections_half_open
    in_world do |sim|
      sim.host("db") { serve { |socket| socket.puts(socket.gets) } }
      socket = TCPSocket.new("db", PORT)
      sim.crash("db", peers: :silence)
      socket.puts "nobody"
      assert_nil socket.wait_readable(60)
      sim.restart("db")
      assert_raises(Errno::ECONNRESET) { socket.gets }
      socket.close
      assert_equal "back\n", talk("db", "back")
    end
  end

  def test_stop_is_graceful
    ended = []
    in_world do |sim|
      sim.host("db") do
        serve { |socket| socket.puts(socket.gets) }
      ensure
        ended << :ensure
      end
      socket = TCPSocket.new("db", PORT)
      sim.settle
      sim.stop("db")
      assert_nil socket.gets
      assert_equal [:ensure], ended
      socket.close
    end
  end

  def test_a_host_may_crash_itself
    in_world do |sim|
      host = sim.host("app") do
        sim.sleep(1)
        sim.crash("app")
        flunk
      end
      sim.sleep(2)
      refute_predicate host, :running?
    end
  end

  def test_the_backlog_is_bounded
    in_world do |sim|
      server = TCPServer.new(PORT)
      server.listen(1)
      sockets = Array.new(2) { TCPSocket.new("localhost", PORT) }
      assert_raises(Errno::ETIMEDOUT) { TCPSocket.new("localhost", PORT, connect_timeout: 10) }
      sim.at(20) { server.accept.close }
      sockets << TCPSocket.new("localhost", PORT)
      assert_operator sim.now, :>, 20
      [*sockets, server].each(&:close)
    end
  end

  def test_buffers_are_bounded_in_both_directions
    error = assert_raises(Raffia::Simulation::Failed) do
      in_world do
        server = TCPServer.new(PORT)
        thread = Thread.new { server.accept.write("x" * 10_000_000) }
        TCPSocket.new("localhost", PORT).write("x" * 10_000_000)
        thread.join
      end
    end

    assert_kind_of Raffia::Simulation::Deadlock, error.cause
  end

  def test_the_buffer_of_both_sides_can_be_set
    written = in_world do |sim|
      sim.network.window = sim.network.buffer = 4_096
      server = TCPServer.new(PORT)
      client = TCPSocket.new("localhost", PORT)
      sockets = [client, server.accept]
      sockets.map do |socket|
        count = 0
        while (bytes = socket.write_nonblock("x" * 1_000, exception: false)).is_a?(Integer)
          count += bytes
        end
        count
      end.tap { [*sockets, server].each(&:close) }
    end

    assert_equal 1, written.uniq.size, "bytes: #{written}"
    assert_operator written.first, :<, 32_768
  end

  def test_clocks_of_hosts_differ
    in_world do |sim|
      times = {}
      %w[a b].each do |name|
        sim.host(name) do
          sim.sleep(1)
          times[name] = [Time.now, Process.clock_gettime(Process::CLOCK_MONOTONIC)]
        end
      end
      sim.clock_step("a", -3_600)
      sim.sleep(2)
      assert_in_delta 3_600, times["b"][0] - times["a"][0]
      assert_equal times["b"][1], times["a"][1]
    end
  end

  def test_clocks_of_hosts_drift
    in_world do |sim|
      late = nil
      sim.clock_drift("main", 0.5)
      sim.clock_step("main", 100)
      sim.host("exact") do
        sim.sleep(10)
        late = Time.now
      end
      sim.sleep(10)
      sim.clock_drift("main", 0)
      sim.sleep(10)
      assert_in_delta 105, Time.now - late - 10
    end
  end

  def test_what_is_no_host_is_refused
    error = assert_raises(Raffia::Simulation::Failed) { in_world { TCPSocket.new("8.8.8.8", 53) } }
    assert_includes error.message, "8.8.8.8 is not the address of a host"

    error = assert_raises(Raffia::Simulation::Failed) do
      in_world { TCPSocket.new("example.com", 1) }
    end
    assert_includes error.message, "example.com"
  end

  def test_names_of_the_dns
    in_world do |sim|
      sim.host("db") { serve { |socket| socket.puts(socket.gets) } }
      sim.dns["primary"] = ["db"]
      sim.dns["gone"] = []
      sim.dns["both"] = ["10.0.0.99", "db"]
      sim.network.connect_timeout = 2
      assert_equal "x\n", talk("primary", "x")
      assert_raises(SocketError) { TCPSocket.new("gone", PORT) }
      assert_equal "y\n", talk("both", "y")
      found = Addrinfo.getaddrinfo("primary", PORT, nil, :STREAM)
      assert_equal ["10.0.0.2"], found.map(&:ip_address)
      assert_equal "10.0.0.2", IPSocket.getaddress("db")
    end
  end

  def test_resolv_asks_the_same_dns
    require "resolv"
    in_world do |sim|
      sim.host("db") { sleep }
      sim.dns["gone"] = []
      sim.dns.latency = 2
      assert_equal "10.0.0.2", Resolv.getaddress("db")
      assert_in_delta 2, sim.now
      assert_empty Resolv.getaddresses("gone")
      assert_raises(Resolv::ResolvError) { Resolv.getaddress("gone") }
    end
  end

  def test_unix_sockets_end_with_their_host
    Dir.mktmpdir do |folder|
      path = File.join(folder, "socket")
      in_world do |sim|
        sim.host("app") do
          server = UNIXServer.new(path)
          loop { Thread.new(server.accept) { |socket| socket.puts(socket.gets) } }
        end
        sim.settle
        UNIXSocket.open(path) do |socket|
          socket.puts "hi"
          assert_equal "hi\n", socket.gets
          sim.crash("app")
          assert_nil socket.gets
        end
        assert_raises(Errno::ECONNREFUSED) { UNIXSocket.new(path) }
      end
    end
  end

  def test_real_sockets_where_they_are_allowed
    server = TCPServer.new("127.0.0.1", 0)
    port = server.addr[1]
    in_world do |sim|
      sim.real { TCPSocket.new("127.0.0.1", port) }.close
      assert_raises(Errno::ECONNREFUSED) { TCPSocket.new("127.0.0.1", port) }
    end
  ensure
    server.close
  end

  def test_a_real_socket_is_refused
    server = TCPServer.new("127.0.0.1", 0)
    error = assert_raises(Raffia::Simulation::Failed) { in_world { server.accept } }
    assert_includes error.message, "is a real socket"
  ensure
    server.close
  end

  def test_two_hosts_of_one_name
    error = assert_raises(Raffia::Simulation::Failed) do
      in_world { |sim| 2.times { sim.host("db") { sleep } } }
    end
    assert_includes error.message, "host db is there already"
  end

  def test_equal_seeds_have_equal_traces
    digests = Array.new(2) { digest(3) }
    assert_equal 1, digests.uniq.size
    refute_equal digests.first, digest(4)
  end

  private

  def digest(seed)
    in_world(seed: seed, strategy: :random) do |sim|
      sim.network.latency = 0.001..0.02
      sim.host("db") { serve { |socket| socket.puts(socket.gets) } }
      5.times.map { |index| Thread.new { talk("db", "hello #{index}") } }.each(&:join)
      Raffia::Simulation::World.current.decisions.digest
    end
  end

  def in_world(**options, &) = Raffia::Simulation.run(**options, &)

  def talk(host, line)
    TCPSocket.open(host, PORT) do |socket|
      socket.puts(line)
      socket.gets
    end
  end

  def serve
    server = TCPServer.new("0.0.0.0", PORT)
    loop do
      Thread.new(server.accept) do |socket|
        yield socket
      rescue SystemCallError
        nil
      ensure
        socket.close
      end
    end
  end
end
