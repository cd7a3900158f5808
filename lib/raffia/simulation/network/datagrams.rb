# frozen_string_literal: true

require_relative "datagram_socket"

module Raffia
  module Simulation
    class Network
      # Opens the UDP sockets of programs, and carries datagrams.
      #
      # @api private
      class Datagrams
        def initialize(network)
          @network = network
          @list = []
        end

        # The endpoint of a new UDP socket of this class.
        def create(klass)
          @network.world.faults.system_call("#{klass}.open", ::Errno::EMFILE)
          raw = KernelSocket.open(::Socket::SOCK_DGRAM)
          socket = DatagramSocket.new(@network, @network.current_host, raw)
          socket.io = klass.for_fd(raw.release)
          @network.table.add(socket)
          @list << socket
          socket
        end

        # The same as UDPSocket#bind.
        def bind(socket, host, port)
          ip = (host.nil? || host == "") ? "0.0.0.0" : @network.names.resolve!(host).first
          @network.binder.bind(socket, ip, sockets.port_of(port))
        end

        # The same as UDPSocket#connect.
        def connect(socket, host, port)
          remote = Address.new(@network.names.resolve!(host).first, sockets.port_of(port))
          @network.binder.give_source(socket, remote.ip)
          socket.connect(remote)
        end

        # The same as UDPSocket#send. +host+: a packed address, or a name with a port.
        def send(socket, bytes, host, port = nil)
          to = Address.of(host) unless port
          to ||= Address.new(@network.names.resolve!(host).first, sockets.port_of(port))
          @network.binder.give_source(socket, to.ip)
          socket.send(bytes, to)
        end

        # Sends a datagram; nobody knows whether it arrives.
        def post(socket, address, bytes)
          host = @network.host_at(address.ip, socket.host) or return
          ip = address.loopback? ? address.ip : socket.host.address
          from = Address.new(ip, socket.local.port)
          @network.link(socket.host, host).post(bytes.bytesize) do
            @network.table.bound(host, address.port, :udp) { true }&.receive(bytes, from)
            @network.world.interest.poll
          end
        end

        # The address of a datagram's sender.
        def sender(info, socket)
          ip, _, port = @network.transport.sender_of(info)&.rpartition(":")
          ip ? Address.new(ip, port.to_i) : socket.remote
        end

        # Sends what programs have written. Returns whether there was anything.
        def poll
          return false if @list.empty?

          @list.select!(&:open?)
          @list.map(&:pump).any?
        end

        private

        def sockets = @network.sockets
      end
    end
  end
end
