# frozen_string_literal: true

require_relative "local_socket"

module Raffia
  module Simulation
    class Network
      # The open sockets of the programs of a world.
      #
      # @api private
      class SocketTable
        # The list is searched for closed ones when it has grown by so many.
        GROWTH = 64
        private_constant :GROWTH

        def initialize(network)
          @network = network
          @transport = network.transport
          @sockets = []
          @local = []
          @peers = {} # id => endpoint that a program may not have accepted yet
        end

        def add(socket)
          prune(@sockets)
          @sockets << socket
        end

        def add_peer(endpoint) = @peers[endpoint.id] = endpoint

        # A socket that the running host has opened, and that the network does not carry.
        def add_local(io)
          prune(@local)
          socket = LocalSocket.new(io, @network.world)
          @network.current_host.opened(socket)
          @local << socket
        end

        # The endpoint of a program's socket; nil for those of the kernel.
        def find(io)
          return unless io.is_a?(::BasicSocket)

          known = io.instance_variable_get(Endpoint::VARIABLE)
          return (known if known.network.equal?(@network)) if known

          search(io) if known.nil?
        end

        # The name of the kernel's socket that listens at an address; nil for none.
        def listener(host, address, from)
          endpoint = bound(host, address.port, :tcp) { |one| one.state == :listening }
          host.name_of(address.port) if endpoint &&
            (host.equal?(from) || !endpoint.local.loopback?)
        end

        # The open socket that is bound to a port, of those for which the block is true.
        def bound(host, port, type)
          @sockets.find do |one|
            one.host.equal?(host) && one.local&.port == port && one.type == type && yield(one) &&
              one.open?
          end
        end

        def close = [*@sockets, *@local, *@peers.values].each(&:close)

        private

        def prune(list)
          list.delete_if { |one| !one.open? } if list.size % GROWTH == GROWTH - 1
        end

        # The kernel's facts about a socket that the network has not seen: a listening one has
        # accepted it, or it is another object for a known descriptor.
        def search(io)
          endpoint = peer(io) || named(io)
          io.instance_variable_set(Endpoint::VARIABLE, endpoint || false) unless io.frozen?
          endpoint
        end

        def peer(io)
          name = @transport.name_of(KernelSocket.call(:getpeername, io))
          id = name[/\Apeer\/(\d+)\z/, 1] if name
          return unless id

          endpoint = @peers.delete(id.to_i) or return @sockets.find { |one| one.id == id.to_i }
          endpoint.io = io
          add(endpoint)
          endpoint
        rescue ::SystemCallError, ::IOError
          nil
        end

        def named(io)
          name = @transport.name_of(KernelSocket.call(:getsockname, io)) or return
          @sockets.find { |one| one.local && one.host.name_of(one.local.port, one.type) == name }
        rescue ::SystemCallError, ::IOError
          nil
        end
      end
    end
  end
end
