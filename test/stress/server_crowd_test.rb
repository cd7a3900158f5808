# frozen_string_literal: true

require_relative "../integration/server/server_case"

module Raffia
  # Thousands of connections that say nothing: what a WebSocket or an event stream costs a process
  # that has 10,000 of them. Each is asked in the end. RAFFIA_SHOW=1 prints the bytes
  # (guides/websockets.md has them).
  class ServerCrowdTest < ServerCase
    CROWD = 10_000
    # Loopback has many addresses, and each of them 28,000 ports to come from.
    SOURCES = (1..4).map { |number| "127.0.0.#{number}" }
    # In all, of one process. A fiber with its stacks is most of it.
    BOUND = 64 * 1024
    CONFIG = <<~RUBY
      require "raffia/server/websocket"
      require "raffia/server/event_stream"
      go = Raffia::Condition.new
      run lambda { |env|
        case env["PATH_INFO"]
        when "/socket"
          Raffia::Server::WebSocket.open(env, ping: 600) do |socket|
            socket.each { |message| socket.write(message) }
          end
        when "/events"
          Raffia::Server::EventStream.open(env, heartbeat: 600) do |stream|
            stream.write("hello")
            go.wait
            stream.write("go")
          end
        when "/go" then [200, {}, [go.broadcast.to_s]]
        when "/collect" then GC.start && [200, {}, []]
        else [200, {}, ["hello"]]
        end
      }
    RUBY
    HANDSHAKE = "GET /socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: " \
    "websocket\r\nSec-WebSocket-Version: 13\r\n" \
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

    def setup
      need_gem "websocket-driver"
      soft, hard = ::Process.getrlimit(:NOFILE)
      needed = CROWD + 500
      if hard < needed
        skip "10,000 connections want #{needed} descriptors, and the hard limit is #{hard} " \
          "(ulimit -Hn)"
      end
      ::Process.setrlimit(:NOFILE, hard) if soft < needed
    end

    def test_10_000_idle_websockets_are_all_answered
      crowd("a WebSocket", HANDSHAKE, "HTTP/1.1 101") do |sockets, _|
        sockets.each { |socket| socket.write("\x81\x82\0\0\0\0ok".b) }
        assert_equal({"\x81\x02ok".b => CROWD},
          sockets.map { |socket| socket.readpartial(16) }.tally)
      end
    end

    def test_10_000_idle_event_streams_are_all_answered
      crowd("an event stream", "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 200",
        until: "data: hello\n\n\r\n") do |sockets, port|
        assert_equal CROWD.to_s, Net::HTTP.get("127.0.0.1", "/go", port)
        assert_equal({true => CROWD},
          sockets.map { |socket| socket.readpartial(100).include?("data: go") }.tally)
      end
    end

    def test_10_000_idle_keep_alive_connections_are_all_answered
      request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
      crowd("a kept connection", request, "HTTP/1.1 200", until: "hello") do |sockets, _|
        sockets.each { |socket| socket.write(request) }
        assert_equal({true => CROWD},
          sockets.map { |socket| socket.readpartial(1000).end_with?("hello") }.tally)
      end
    end

    private

    def crowd(what, request, answer, until: "\r\n\r\n")
      ending = binding.local_variable_get(:until)
      program(CONFIG, max_connections: CROWD + 100, idle_timeout: 600) do |port, daemon|
        # what comes with the first ones is no part of each
        some = Array.new(100) { |number| dial(port, number, request, answer, ending) }
        before = memory(daemon, port)
        sockets = some +
          Array.new(CROWD - some.size) { |number| dial(port, number, request, answer, ending) }
        each = (memory(daemon, port) - before) / (CROWD - some.size)
        warn "\n#{what}: #{each} bytes" if ENV["RAFFIA_SHOW"]
        assert_operator each, :<, BOUND
        yield sockets, port
        assert_equal "hello", Net::HTTP.get("127.0.0.1", "/", port)
      ensure
        (sockets || some)&.each(&:close)
      end
    end

    def dial(port, number, request, answer, ending)
      socket = TCPSocket.new("127.0.0.1", port, SOURCES[number % SOURCES.size])
      socket.write(request)
      text = +""
      text << socket.readpartial(1000) until text.include?(ending)
      assert text.start_with?(answer), text
      socket
    end

    # Proportional, after a collection.
    def memory(daemon, port)
      Net::HTTP.get("127.0.0.1", "/collect", port)
      File.read("/proc/#{daemon.pid}/smaps_rollup")[/^Pss:\s+(\d+) kB/, 1].to_i * 1024
    end
  end
end
