# frozen_string_literal: true

require "test_helper"
require "raffia/server"
require "raffia/server/worker"
require "io/nonblock"
require "tmpdir"

module Raffia
  # Connections as they are taken from a listener, over real sockets.
  class ServerAcceptTest < TestCase
    def setup
      super
      @held = []
    end

    def teardown
      @held.each(&:close)
      super
    end

    def test_accepted_sockets_are_like_rubys
      server = held(TCPServer.new("127.0.0.1", 0))
      ours, address = accept(server, TCPSocket) {
        held(TCPSocket.new("127.0.0.1", server.local_address.ip_port))
      }
      held(TCPSocket.new("127.0.0.1", server.local_address.ip_port))
      assert_equal "127.0.0.1", address
      assert_equal traits(held(wait_until {
        server.accept_nonblock(exception: false)
              .then { _1 unless _1 == :wait_readable }
      })), traits(ours)
      assert_equal ["AF_INET", "127.0.0.1", "127.0.0.1"], ours.peeraddr.values_at(0, 2, 3)
    end

    def test_a_client_of_a_unix_socket_has_no_address
      Dir.mktmpdir do |dir|
        server = held(UNIXServer.new("#{dir}/s"))
        client = nil
        ours, address = accept(server, UNIXSocket) { client = held(UNIXSocket.new("#{dir}/s")) }
        assert_nil address
        assert_instance_of UNIXSocket, ours
        client << "hello"
        assert_equal "hello", ours.readpartial(9)
      end
    end

    def test_version_6
      server = begin
        held(TCPServer.new("::1", 0))
      rescue SystemCallError
        skip "no IPv6 here"
      end
      assert_equal "::1",
        accept(server, TCPSocket) { held(TCPSocket.new("::1", server.local_address.ip_port)) }.last
    end

    def test_no_connection_waits
      server = held(TCPServer.new("127.0.0.1", 0))
      [true, false].each { |look| refute Native.accept(server, TCPSocket, look) { flunk } }
    end

    def test_sockets_that_cannot_accept
      server = held(TCPServer.new("127.0.0.1", 0))
      client = held(TCPSocket.new("127.0.0.1", server.local_address.ip_port))
      assert_raises(Errno::EINVAL) { Native.accept(client, TCPSocket, false) { flunk } }
      server.close
      assert_raises(IOError) { Native.accept(server, TCPSocket, false) { flunk } }
    end

    # Forty connect before the first is served. Bytes for a Unix socket are there at once.
    def test_open_connections_get_a_turn_before_all_others_are_accepted
      Dir.mktmpdir do |dir|
        listener = Server::Listen::Listener.open(Server::Listen::Bind.parse("unix://#{dir}/s"),
          Server::Options.build).first
        clients = Array.new(40) do
          held(UNIXSocket.new("#{dir}/s"))
            .tap { |client| client << "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n" }
        end
        steps = []
        serve(listener, lambda { |_|
          steps << :begun
          Fiber.scheduler.yield
          steps << :done
          [200, {}, ["x"]]
        }) { clients.each { |client| assert_match(/\AHTTP\/1.1 200 /, client.read) } }
        assert_equal({begun: 40, done: 40}, steps.tally)
        assert_operator steps.index(:done), :<, 40
      end
    end

    def test_a_listener_that_blocks_is_no_trouble
      listener = Server::Listen::Listener.open(Server::Listen::Bind.parse("tcp://127.0.0.1:0"),
        Server::Options.build).first
      listener.socket.nonblock = false
      serve(listener, ->(env) { [200, {}, [env["REMOTE_ADDR"]]] }) do
        client = held(TCPSocket.new("127.0.0.1", listener.port))
        client << "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
        assert_equal "127.0.0.1", client.read.lines.last
      end
    end

    private

    def held(io) = io.tap { @held << io }

    def accept(server, kind)
      yield
      found = nil
      wait_until { Native.accept(server, kind, true) { |*all| found = all } }
      held(found.first)
      found
    end

    def traits(socket)
      [socket.class, socket.sync, socket.binmode?, socket.nonblock?, socket.close_on_exec?,
        socket.external_encoding, socket.internal_encoding,
        socket.do_not_reverse_lookup, socket.timeout, socket.autoclose?]
    end

    def serve(listener, app)
      worker = Server::Worker.new(app, listeners: [held(listener)], options: Server::Options.build)
      thread = Thread.new { worker.run }
      yield
    ensure
      worker.stop(:now)
      thread.join
    end
  end
end
