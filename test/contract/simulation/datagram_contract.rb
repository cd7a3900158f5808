# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"
require "socket"

# Behaviour that programs may expect of UDP sockets.
module DatagramContract
  def test_datagrams_have_a_sender
    with_sockets do |one, other|
      other.bind("127.0.0.1", 0)
      assert_equal 5, one.send(+"hello", 0, "127.0.0.1", other.addr[1])
      bytes, sender = other.recvfrom(100)
      assert_equal ["hello", ["AF_INET", one.addr[1], "127.0.0.1", "127.0.0.1"]], [bytes, sender]
      other.send(+"reply", 0, sender[3], sender[1])
      assert_equal "reply", one.recvfrom(100).first
    end
  end

  def test_connected_sockets
    with_sockets do |one, other|
      other.bind("127.0.0.1", 0)
      one.connect("127.0.0.1", other.addr[1])
      assert_equal other.addr, one.peeraddr
      one.send(+"a", 0)
      one.write("b")
      assert_equal "a", other.recv(10)
      message, sender = other.recvmsg
      assert_equal ["b", one.addr[1]], [message, sender.ip_port]
      other.send(+"c", 0, sender)
      assert_equal "c", one.recv(10)
    end
  end

  def test_messages_with_a_destination
    with_sockets do |one, other|
      other.bind("127.0.0.1", 0)
      to = Socket.sockaddr_in(other.addr[1], "127.0.0.1")
      assert_equal 1, one.sendmsg("a", 0, to)
      assert_equal 1, one.sendmsg("b", 0, Addrinfo.new(to, nil, :DGRAM))
      assert_equal 1, one.sendmsg_nonblock("c", 0, to, exception: false)
      assert_equal %w[a b c], Array.new(3) { other.recvfrom(9).first }
    end
  end

  def test_datagrams_stay_whole
    with_sockets do |one, other|
      other.bind("127.0.0.1", 0)
      20.times { |index| one.send("x" * (index + 1), 0, "127.0.0.1", other.addr[1]) }
      assert_equal (1..20).to_a, Array.new(20) { other.recvfrom(100).first.size }
    end
  end

  def test_nothing_to_receive
    with_sockets do |one, _|
      one.bind("127.0.0.1", 0)
      assert_raises(IO::WaitReadable) { one.recvfrom_nonblock(10) }
      assert_equal :wait_readable, one.recvfrom_nonblock(10, exception: false)
      assert_nil one.wait_readable(0.01)
    end
  end

  def test_a_port_is_bound_once
    with_sockets do |one, other|
      one.bind("127.0.0.1", 0)
      assert_raises(Errno::EADDRINUSE) { other.bind("127.0.0.1", one.addr[1]) }
    end
  end

  def test_too_long_datagrams
    with_sockets do |one, _|
      assert_raises(Errno::EMSGSIZE) { one.send("x" * 70_000, 0, "127.0.0.1", 9) }
    end
  end

  private

  def with_sockets
    in_place do
      sockets = Array.new(2) { UDPSocket.new }
      yield(*sockets)
    ensure
      sockets&.each(&:close)
    end
  end
end
