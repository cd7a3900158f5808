# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"

class SimulationTimelineTest < Raffia::TestCase
  Simulation = Raffia::Simulation

  def test_a_column_for_each_thread
    heading, *lines = failure.timeline(width: 100).lines(chomp: true)

    assert_match(/\Aseconds +main +main\/1 +main\/2\z/, heading)
    assert(lines.any? { |line| line.match?(/timeline\w*~:\d+ preempted/) })
    assert_match(/RuntimeError: \S+ <b>&/, lines.last)
    lines.each { |line| assert_operator line.size, :<=, 100 }
  end

  def test_a_narrow_terminal_gets_a_list
    lines = failure.timeline(width: 50).lines(chomp: true)

    assert(lines.any? { |line| line.match?(/main\/\d  timeline_test\.rb:\d+ preempted/) })
    lines.each { |line| assert_operator line.size, :<=, 50 }
  end

  def test_colours
    assert_match(/\e\[31m/, failure.timeline(color: true))
    refute_match(/\e/, failure.timeline)
  end

  def test_notes_cannot_control_the_terminal
    assert_match(/note \[2J/, failure.timeline(width: 200))
  end

  def test_fibers_have_lanes
    failure = Simulation.explore(runs: 1, seed: 1) do
      Raffia.run do
        Fiber.schedule { sleep 1 }
        sleep 2
        raise "stop"
      end
    end.failure
    assert_match(/main\.\d/, failure.timeline)
    assert_match(/2\.000/, failure.timeline)
  end

  def test_packets_go_from_host_to_host
    failure = failure_of_hosts
    events = failure.trace.events.select { |event| event.kind == :packet }
    server, client = %w[server client].map { |name| failure.trace.hosts.key(name) }
    packets = events.map { |event| [event.sender, event.other, event.text] }
    assert_equal [[client, server, "syn from client"], [server, client, "syn-ack from server"]],
      packets.first(2)
    assert_includes packets, [client, server, "data 3 B from client"]
    assert_includes packets, [client, server, "datagram 4 B from client"]
    assert_equal 2_000_000, events.first.at - events.first.sent
    assert_match(/0\.002 .* syn from client$/, failure.timeline(width: 60))
    html = failure.to_html
    assert_equal %w[client server], html.scan(/class="hostname"[^>]*>(\w+)/).flatten
    lines = html.scan(/<line class="packet" [^>]*y1="(\d+)"[^>]*y2="(\d+)"/)
    assert_equal events.size, lines.count { |from, to| from.to_i < to.to_i }
  end

  def test_lost_packets_end_on_their_way
    failure = failure_of { |sim| lose_packets(sim) }
    events = failure.trace.events.select { |event| event.kind == :drop }
    server, client = %w[server client].map { |name| failure.trace.hosts.key(name) }
    drops = events.map { |event| [event.at, event.sender, event.other, event.text] }
    assert_equal [[2_000_000, client, server, "lost: datagram 4 B from client"],
      [2_000_000, client, server, "lost: syn from client"],
      [1_002_000_000, client, server, "lost: syn from client"]], drops
    assert_equal [0, 0, 1_002_000_000], events.map(&:sent)
    assert_match(/1\.002 .* lost: syn from client$/, failure.timeline(width: 60))
    assert_equal 3, failure.to_html.scan(/<line class="drop" x1="[^"]*%"/).size
  end

  def test_packets_to_an_address_that_nobody_has_stay_with_their_sender
    failure = failure_of do |sim|
      sim.host("client") { TCPSocket.new("10.0.0.99", 80, connect_timeout: 2) }
      sim.sleep(3)
    end
    client = failure.trace.hosts.key("client")
    lost = failure.trace.events.select { |event| event.kind == :drop }
    assert_equal [[client, client]] * 2, lost.map { |event| [event.sender, event.other] }
    refute_match(/<line class="drop" x1="[^"]*%"/, failure.to_html)
  end

  def test_long_runs_leave_events_out
    failure = Simulation.explore(runs: 1, seed: 1) do |sim|
      100.times { |index| sim.note(index) }
      raise "stop"
    end.failure
    assert_match(/\(\d+ events left out\)/, failure.timeline)
    assert_operator failure.timeline.lines.size, :<, 70
  end

  def test_the_page_is_escaped_and_needs_nothing_else
    page = failure.to_html

    assert_match(/&lt;b&gt;&amp;/, page)
    refute_match(/<b>|<script|style=|https?:/, page)
    assert_match(/style-src 'sha256-[^']+'/, page)
    assert_match(/<title>[^<]*timeline_test\.rb:\d+/, page)
    assert_match(/class="cut"/, page)
    style = page[%r{<style>(.*)</style>}m, 1]
    assert_includes page, [Digest::SHA256.digest(style)].pack("m0")
  end

  private

  def failure_of
    Simulation.explore(runs: 1, seed: 1, ignore: [:unjoined]) do |sim|
      yield sim
      raise "stop"
    end.failure
  end

  def lose_packets(sim)
    sim.network.latency = 0.002
    sim.host("server") { sleep }
    sim.host("client") do
      bytes = "ping"
      UDPSocket.new.send(bytes, 0, "server", 53)
      TCPSocket.new("server", 80, connect_timeout: 2)
    end
    sim.partition("client", "server")
    sim.sleep(3)
  end

  def failure_of_hosts
    failure_of do |sim|
      sim.network.latency = 0.002
      sim.host("server") do
        Thread.new { UDPSocket.new.tap { |socket| socket.bind("0.0.0.0", 53) }.recv(9) }
        TCPServer.new("0.0.0.0", 80).accept.gets
      end
      sim.host("client") do
        TCPSocket.new("server", 80).puts("hi")
        bytes = "ping"
        UDPSocket.new.send(bytes, 0, "server", 53)
      end
      sim.sleep(1)
    end
  end

  def failure
    Simulation.explore(runs: 1_000, seed: 1) do |sim|
      table = {n: 0}
      sim.note("note\e[2J")
      2.times.map { Thread.new { table.store(:n, table.fetch(:n) + 1) } }.each(&:join)
      raise "#{table[:n]} <b>& \e[2J" unless table[:n] == 2
    end.failure
  end
end
