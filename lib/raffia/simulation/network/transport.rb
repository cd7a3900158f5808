# frozen_string_literal: true

require_relative "kernel_socket"

module Raffia
  module Simulation
    class Network
      # The kernel's sockets under a simulated network. Programs hold one end of each connection,
      # the network the other one. The ends are sockets of the UNIX domain with names in the
      # abstract namespace; so code in C, IO.select and OpenSSL see descriptors that behave as
      # usual.
      #
      # @api private
      class Transport
        # Names differ between processes and worlds.
        PREFIX = "\0raffia-simulation/"
        FILL = ("\0" * 2_048).freeze
        private_constant :PREFIX, :FILL

        def initialize
          @name = "#{PREFIX}#{::Process.pid}/#{object_id}/"
          @server = KernelSocket.open
          @server.bind(address("wire"))
          @server.listen(8)
          @senders = {}
        end

        def address(name) = ::Addrinfo.unix("#{@name}#{name}")

        # The part of a kernel's address that {#address} was given; nil for others.
        def name_of(sockaddr)
          info = ::Addrinfo.new(sockaddr)
          info.unix_path.delete_prefix(@name) if info.unix? && info.unix_path.start_with?(@name)
        end

        # Connects a program's socket to the network, which gets the other end. The socket is not
        # writable until {#open}.
        def attach(raw, buffer)
          raw.buffer = 1
          raw.connect(address("wire"))
          raw.write(FILL)
          @server.accept.tap { |wire| wire.buffer = buffer }
        end

        # The connection of {#attach} is established.
        def open(raw, wire, buffer)
          raw.buffer = buffer if raw.open?
          wire.read(FILL.bytesize)
        end

        # Connects to a program's listening socket. Returns the network's end, or the name of the
        # error.
        def dial(name, id, buffer)
          raw = KernelSocket.open
          raw.bind(address("peer/#{id}"))
          raw.connect(address(name))
          raw.buffer = buffer
          raw
        rescue ::IO::WaitWritable, ::SystemCallError => error
          raw.close
          error.is_a?(::Errno::EAGAIN) ? :full : :refused
        end

        # The network's end for the datagrams of a connected socket.
        def datagrams(raw, id)
          wire = KernelSocket.open(::Socket::SOCK_DGRAM)
          wire.bind(address("connected/#{id}"))
          raw.connect(address("connected/#{id}"))
          wire
        end

        # A socket from whose address a program gets datagrams.
        def sender(name)
          @senders[name] ||= KernelSocket.open(::Socket::SOCK_DGRAM).tap do |sender|
            sender.bind(address("sender/#{name}"))
          end
        end

        # The sender's name of a datagram; nil for one of a connected socket.
        def sender_of(info) = name_of(info.to_sockaddr)[%r{\Asender/(.*)\z}, 1]

        def close = [@server, *@senders.values].each(&:close)
      end
    end
  end
end
