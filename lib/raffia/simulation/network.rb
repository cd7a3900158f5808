# frozen_string_literal: true

require_relative "host"
require_relative "network/address"
require_relative "network/connection"
require_relative "network/datagram_socket"
require_relative "network/link"
require_relative "network/local_socket"
require_relative "network/names"
require_relative "network/sockets"
require_relative "network/transport"

module Raffia
  module Simulation
    # The network of a world: hosts, the links between them, and the sockets of programs. Packets
    # are timers of the world.
    class Network
      # Programs outside of a host run on this one.
      HOME = "main"

      # @return [Numeric, nil] bytes in a second that each link carries; nil for no limit
      attr_accessor :bandwidth

      # @return [Integer] bytes of one packet at most
      attr_accessor :mtu

      # @return [Integer] bytes that a connection carries in one direction without their being taken
      attr_accessor :window

      # @return [Integer] size of the buffers of sockets that are opened from now on
      attr_accessor :buffer

      # @return [Numeric] seconds until a connect to a host that does not answer fails
      attr_accessor :connect_timeout

      # @return [Numeric] seconds until a connection is given up whose peer does not answer
      attr_accessor :timeout

      # @api private
      attr_reader :world, :names, :default_latency, :transport, :hosts, :sockets

      # @api private
      def initialize(world)
        @world = world
        @hosts = {}
        @links = {}
        @connections = []
        @opened = [] # endpoints that programs have made
        @peers = {} # id => endpoint that a program may not have accepted yet
        @local = []
        @datagrams = []
        @names = Names.new(self)
        @last_id = 0
        @buffer = @window = @mtu = 65_536
        @connect_timeout = 127
        @timeout = 924
        @default_latency = Latency.new(0.001)
        @transport = Transport.new
        @sockets = Sockets.new(self)
        @home = add_host(HOME)
      end

      # How long packets are under way: seconds, a Range of seconds (each value is equally likely),
      # or an object whose `call` takes a Random.
      # @return [void]
      # @raise [ConfigError]
      def latency=(value)
        @default_latency = Latency.new(value)
      end

      # Latencies that are distributed exponentially.
      # @param mean [Numeric] seconds
      # @param limit [Numeric] seconds at most
      # @return [Proc] for {#latency=}
      def exponential(mean, limit: mean * 20) = Latency.exponential(mean, limit)

      # @api private
      def add_host(name, **options, &)
        name = name.to_s
        if @hosts[name]
          raise ConfigError, "host #{name} is there already: give each host a name of its own"
        end

        @hosts[name] = Host.new(@world, self, name, "10.0.0.#{@hosts.size + 1}", **options, &)
      end

      # @api private
      def host(name)
        return name if name.is_a?(Host)

        @hosts.fetch(name.to_s) do
          raise ConfigError, "there is no host #{name}: the hosts are #{@hosts.keys.join(", ")}"
        end
      end

      # The host of the running thread.
      # @api private
      def current_host = @world.running.host || @home

      # The host that an address reaches from another one; nil if nobody has it.
      # @api private
      def host_at(ip, from)
        return from if Address.new(ip, 0).then { |address| address.loopback? || address.any? }

        @hosts.each_value.find { |host| host.address == ip }
      end

      # Whether a connection to the name is one of this network. Others have to be allowed.
      # @api private
      def serves?(name)
        return true unless @world.settings.allow?(:sockets)

        names.known?(name.to_s) || !host_at(name.to_s, current_host).nil?
      end

      # @api private
      def link(from, to) = @links[[from, to]] ||= Link.new(self, from, to)

      # The links of a direction, seen from +one+: :to, :from or :both. +other+ nil: all hosts.
      # @api private
      def links(one, other, direction)
        ones = [*one].map { |name| host(name) }
        others = other ? [*other].map { |name| host(name) } : @hosts.values - ones
        pairs = ones.product(others)
        back = pairs.map(&:reverse)
        pairs = {to: pairs, from: back, both: pairs + back}.fetch(direction) do
          raise ConfigError, "direction: #{direction.inspect} means nothing: use :to, :from, :both"
        end
        pairs.map { |from, to| link(from, to) }
      end

      # Lets all packets through again, or those between two hosts.
      # @api private
      def heal(one = nil, other = nil, direction = :both)
        (one ? links(one, other, direction) : @links.values).each(&:heal)
      end

      # Ends the connections between two hosts by a RST to both.
      # @api private
      def reset(one, other)
        connections_between(host(one), host(other)).each do |connection|
          connection.endpoints.each { |endpoint| endpoint.reset(::Errno::ECONNRESET) }
        end
        @world.interest.poll
      end

      # @api private
      def crash(host, silently:)
        @connections.flat_map(&:endpoints).select { |one| one.host.equal?(host) }.each do |endpoint|
          silently ? endpoint.vanish : endpoint.abort
        end
      end

      # @api private
      def add_connection(connection)
        @connections << connection
        connection
      end

      # @api private
      def add_socket(endpoint)
        @opened.delete_if { |one| !one.open? } if @opened.size % 64 == 63
        @opened << endpoint
      end

      # @api private
      def add_datagrams(socket) = @datagrams << socket

      # Sends a datagram; nobody knows whether it arrives.
      # @api private
      def send_datagram(socket, address, bytes)
        host = host_at(address.ip, socket.host) or return
        link = link(socket.host, host)
        from = Address.new(address.loopback? ? address.ip : socket.host.address, socket.local.port)
        arrive = lambda do
          to = @datagrams.find { |one| bound?(one, host, address.port) }
          to&.receive(bytes, from)
          @world.interest.poll
        end
        link.post(bytes.bytesize, &arrive)
      end

      # The address of a datagram's sender.
      # @api private
      def sender_of(info, socket)
        ip, _, port = @transport.sender_of(info)&.rpartition(":")
        ip ? Address.new(ip, port.to_i) : socket.remote
      end

      # A socket that the running host has opened, and that the network does not carry.
      # @api private
      def own(socket)
        local = LocalSocket.new(socket)
        current_host.opened(local)
        @local.delete_if { |one| !one.open? } if @local.size % 64 == 63
        @local << local
      end

      # The endpoint of a program's socket; nil for those of the kernel.
      # @api private
      def endpoint(io)
        return unless io.is_a?(::BasicSocket)

        known = io.instance_variable_get(Endpoint::VARIABLE)
        return (known if known.network.equal?(self)) if known

        find_endpoint(io) if known.nil?
      end

      # A socket that a listening one has accepted. Returns its endpoint.
      # @api private
      def accepted(io) = endpoint(io)

      # @api private
      def next_id = @last_id += 1

      # @api private
      def add_peer(endpoint) = @peers[endpoint.id] = endpoint

      # The name of the kernel's socket that listens at an address; nil for none.
      # @api private
      def listener(host, address, from)
        endpoint = @opened.find do |one|
          one.state == :listening && one.host.equal?(host) &&
            one.local.port == address.port && one.open?
        end
        host.name_of(address.port) if endpoint && (host.equal?(from) || !endpoint.local.loopback?)
      end

      # Moves bytes between programs and the network. Returns whether there were any.
      # @api private
      def poll
        moved = @datagrams.map(&:pump).any?
        return moved if @connections.empty?

        endpoints = @connections.flat_map(&:endpoints)
        moved = endpoints.map(&:flush).any? || moved
        by_wire = endpoints.filter_map { |one| [one.readable, one] if one.readable }.to_h
        ready = by_wire.any? && Interest.select([by_wire.keys, nil, nil])
        moved = ready.first.map { |wire| by_wire[wire].pump }.any? || moved if ready
        sweep
        moved
      end

      # @api private
      def close
        [*@opened, *@datagrams, *@local, *@peers.values].each(&:close)
        @transport.close
      end

      private

      def bound?(socket, host, port)
        socket.host.equal?(host) && socket.local&.port == port && socket.open?
      end

      def connections_between(one, other)
        @connections.select { |connection| connection.between?(one, other) }
      end

      # What the kernel says of a socket that the network has not seen: a listening one has accepted
      # it, or it is another object for a known descriptor.
      def find_endpoint(io)
        endpoint = find_peer(io) || find_socket(io)
        io.instance_variable_set(Endpoint::VARIABLE, endpoint || false) unless io.frozen?
        endpoint
      end

      def find_peer(io)
        name = @transport.name_of(KernelSocket.call(:getpeername, io))
        id = name[/\Apeer\/(\d+)\z/, 1] if name
        return unless id

        endpoint = @peers.delete(id.to_i) or return @opened.find { |one| one.id == id.to_i }
        endpoint.io = io
        @opened << endpoint
        endpoint
      rescue ::SystemCallError, ::IOError
        nil
      end

      def find_socket(io)
        name = @transport.name_of(KernelSocket.call(:getsockname, io))
        return unless name

        (@opened + @datagrams).find do |one|
          one.local && one.host.name_of(one.local.port, one.type) == name
        end
      rescue ::SystemCallError, ::IOError
        nil
      end

      def sweep
        @connections.delete_if do |connection|
          next unless connection.over?

          connection.endpoints.each(&:dispose)
        end
      end
    end
  end
end
