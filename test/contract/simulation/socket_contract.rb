# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"
require "socket"
require "timeout"

# Behaviour that programs may expect of TCP sockets, of the kernel's and of the simulated ones.
module SocketContract
  def test_bytes_arrive_in_order
    with_pair do |client, server|
      writer = Thread.new do
        client.write(content)
        client.close_write
      end
      assert_equal content, server.read
      writer.join
    end
  end

  def test_addresses_match
    with_pair do |client, server|
      assert_equal client.local_address.ip_unpack, server.remote_address.ip_unpack
      assert_equal client.remote_address.ip_unpack, server.local_address.ip_unpack
      assert_equal ["AF_INET", server.addr[1], "127.0.0.1"], client.peeraddr.values_at(0, 1, 3)
      assert_equal client.addr, server.peeraddr
      assert_equal client.getsockname, server.getpeername
    end
  end

  def test_closing_ends_the_input_of_the_peer
    with_pair do |client, server|
      client.write("last words")
      client.close
      assert_equal "last words", server.read
      assert_predicate server, :eof?
    end
  end

  def test_half_closed_connections_carry_bytes_the_other_way
    with_pair do |client, server|
      client.write("question")
      client.close_write
      assert_equal "question", server.read
      server.write("answer")
      server.close
      assert_equal "answer", client.read
      assert_raises(IOError) { client.write("x") }
    end
  end

  def test_shutdown_of_both_directions
    with_pair do |client, server|
      client.shutdown
      assert_nil server.gets
      assert_nil client.gets
      assert_raises(Errno::EPIPE) { client.write("x") }
    end
  end

  def test_closing_with_unread_bytes_resets
    with_pair do |client, server|
      client.write("unread")
      assert server.wait_readable(5)
      server.close
      assert_raises(Errno::ECONNRESET) { client.read }
    end
  end

  def test_a_reset_reaches_a_peer_that_has_ended_its_output
    with_pair do |client, server|
      client.write("unread")
      client.close_write
      assert server.wait_readable(5)
      server.close
      assert_raises(Errno::ECONNRESET) { client.read }
    end
  end

  def test_linger_of_zero_resets
    with_pair do |client, server|
      client.setsockopt(Socket::Option.linger(true, 0))
      client.close
      assert_raises(Errno::ECONNRESET) { server.read }
    end
  end

  def test_writing_to_a_closed_peer_fails
    with_pair do |client, server|
      server.close
      assert_raises(Errno::EPIPE, Errno::ECONNRESET) do
        1_000.times do
          client.write("x")
          sleep 0.01
        end
      end
    end
  end

  def test_a_full_buffer_holds_up_the_writer
    with_pair do |client, server|
      written = 0
      loop do
        count = client.write_nonblock("x" * 65_536, exception: false)
        break if count == :wait_writable && !client.wait_writable(0.2)

        written += count if count.is_a?(Integer)
      end
      assert_equal written, server.read(written).bytesize
      assert client.wait_writable(5)
    end
  end

  def test_a_closed_port_refuses
    in_place do
      port = free_port
      assert_raises(Errno::ECONNREFUSED) { TCPSocket.new("127.0.0.1", port) }
      assert_raises(Errno::ECONNREFUSED) { Socket.tcp("127.0.0.1", port) }
      assert_raises(Errno::ECONNREFUSED) do
        open_socket { |socket| socket.connect(Addrinfo.tcp("127.0.0.1", port)) }
      end
    end
  end

  def test_connect_without_waiting
    with_server do |server|
      open_socket do |socket|
        address = Addrinfo.tcp("127.0.0.1", server.addr[1])
        result = socket.connect_nonblock(address, exception: false)
        assert_includes [0, :wait_writable], result
        assert socket.wait_writable(5)
        assert_equal 0, socket.getsockopt(:SOCKET, :ERROR).int
        assert_equal 0, socket.connect_nonblock(address, exception: false)
      end
    end
  end

  def test_a_refusal_of_a_connect_without_waiting
    in_place do
      open_socket do |socket|
        address = Addrinfo.tcp("127.0.0.1", free_port)
        begin
          socket.connect_nonblock(address, exception: false)
          assert socket.wait_writable(5)
          assert_equal Errno::ECONNREFUSED::Errno, socket.getsockopt(:SOCKET, :ERROR).int
        rescue Errno::ECONNREFUSED
          pass # the kernel may refuse at once
        end
      end
    end
  end

  def test_a_client_may_leave_before_it_is_accepted
    with_server do |server|
      client = TCPSocket.new("127.0.0.1", server.addr[1])
      client.write("gone")
      client.close
      sleep 0.05
      socket = server.accept
      assert_equal "gone", socket.read
      socket.close
    end
  end

  def test_closing_a_listener_ends_what_it_has_not_accepted
    with_server do |server|
      client = TCPSocket.new("127.0.0.1", server.addr[1])
      server.close
      assert_raises(Errno::ECONNRESET) { client.read }
      client.close
    end
  end

  def test_a_port_is_taken_once
    with_server do |server|
      port = server.addr[1]
      assert_raises(Errno::EADDRINUSE) { TCPServer.new("127.0.0.1", port) }
      server.close
      TCPServer.new("127.0.0.1", port).close
    end
  end

  def test_an_address_of_another_machine_cannot_be_bound
    in_place { assert_raises(Errno::EADDRNOTAVAIL) { TCPServer.new("10.255.255.1", 0) } }
  end

  def test_accept_without_a_client
    with_server do |server|
      assert_equal :wait_readable, server.accept_nonblock(exception: false)
      assert_raises(IO::WaitReadable) { server.accept_nonblock }
      client = TCPSocket.new("127.0.0.1", server.addr[1])
      assert server.wait_readable(5)
      socket = server.accept_nonblock
      assert_instance_of TCPSocket, socket
      [socket, client].each(&:close)
    end
  end

  def test_sockets_made_step_by_step
    in_place do
      server = Socket.new(:INET, :STREAM)
      server.setsockopt(:SOCKET, :REUSEADDR, true)
      server.bind(Addrinfo.tcp("127.0.0.1", 0))
      server.listen(5)
      client = Socket.tcp("127.0.0.1", server.local_address.ip_port)
      socket, address = server.accept
      assert_equal client.local_address.ip_unpack, address.ip_unpack
      client.write("ab")
      client.close
      assert_equal "ab", socket.recv(10)
      assert_empty socket.recv(10).to_s
      [socket, server].each(&:close)
    end
  end

  def test_listening_by_name_and_connecting_by_address
    in_place do
      servers = Socket.tcp_server_sockets("127.0.0.1", 0)
      address = Addrinfo.tcp("127.0.0.1", servers.first.local_address.ip_port)
      client = address.connect
      socket, = servers.first.accept
      client.write("x")
      assert_equal "x", socket.readpartial(1)
      [client, socket, *servers].each(&:close)
    end
  end

  def test_an_unconnected_socket_has_no_peer
    in_place do
      open_socket { |socket| assert_raises(Errno::ENOTCONN) { socket.remote_address } }
    end
  end

  def test_options
    with_pair do |client, _|
      client.setsockopt(:TCP, :NODELAY, true)
      client.setsockopt(Socket::IPPROTO_TCP, Socket::TCP_KEEPIDLE, 5)
      client.setsockopt(:SOCKET, :KEEPALIVE, true)
      assert client.getsockopt(:TCP, :NODELAY).bool
      assert_equal 5, client.getsockopt(:TCP, :KEEPIDLE).int
      assert client.getsockopt(:SOCKET, :KEEPALIVE).bool
      assert_equal Socket::SOCK_STREAM, client.getsockopt(:SOCKET, :TYPE).int
    end
  end

  def test_select
    with_pair do |client, server|
      assert_nil IO.select([client, server], nil, nil, 0.01)
      assert_equal [[], [client], []], IO.select([server], [client], nil, 1)
      client.write("x")
      assert_equal [[server], [], []], IO.select([client, server], nil, nil, 5)
    end
  end

  def test_time_limits
    with_pair do |client, _|
      client.timeout = 0.02
      assert_raises(IO::TimeoutError) { client.gets }
      client.timeout = nil
      assert_raises(Timeout::Error) { Timeout.timeout(0.02) { client.gets } }
      assert_nil client.wait_readable(0.01)
    end
  end

  def test_blocks
    with_server do |server|
      thread = Thread.new { server.accept.tap { |socket| socket.puts("hi") }.close }
      kept = nil
      text = TCPSocket.open("127.0.0.1", server.addr[1]) { |socket| (kept = socket).gets }
      assert_equal "hi\n", text
      assert_predicate kept, :closed?
      thread.join
    end
  end

  def test_another_object_for_the_same_descriptor
    with_pair do |client, server|
      other = TCPSocket.for_fd(client.fileno)
      other.autoclose = false
      assert_equal client.addr, other.addr
      assert_equal server.addr, other.peeraddr
      copy = client.dup
      client.close
      copy.write("still open")
      copy.close
      assert_equal "still open", server.read
    end
  end

  private

  def content = @content ||= Random.new(1).bytes(1_000_000)

  def free_port
    server = TCPServer.new("127.0.0.1", 0)
    server.addr[1]
  ensure
    server.close
  end

  def open_socket
    socket = Socket.new(:INET, :STREAM)
    yield socket
  ensure
    socket.close
  end

  def with_server
    in_place do
      server = TCPServer.new("127.0.0.1", 0)
      yield server
    ensure
      server&.close
    end
  end

  def with_pair
    with_server do |server|
      client = TCPSocket.new("127.0.0.1", server.addr[1])
      socket = server.accept
      yield client, socket
    ensure
      [client, socket].compact.each(&:close)
    end
  end
end
