# frozen_string_literal: true

require_relative "host"
require_relative "network/address"
require_relative "network/binder"
require_relative "network/connections"
require_relative "network/datagrams"
require_relative "network/links"
require_relative "network/names"
require_relative "network/socket_table"
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
      attr_reader :world, :home, :names, :default_latency, :transport, :hosts, :sockets,
        :datagrams, :table, :connections, :binder

      # @api private
      def initialize(world)
        @world = world
        @hosts = {}
        @links = Links.new(self)
        @connections = Connections.new(world)
        @names = Names.new(self)
        @last_id = 0
        @buffer = @window = @mtu = 65_536
        @connect_timeout = 127
        @timeout = 924
        @default_latency = Latency.new(0.001)
        @transport = Transport.new
        @table = SocketTable.new(self)
        @binder = Binder.new(self)
        @sockets = Sockets.new(self)
        @datagrams = Datagrams.new(self)
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
      def link(from, to) = @links.find(from, to)

      # The links of a direction, seen from +one+: :to, :from or :both. +other+ nil: all hosts.
      # @api private
      def links(one, other, direction) = @links.between(one, other, direction)

      # Lets all packets through again, or those between two hosts.
      # @api private
      def heal(one = nil, other = nil, direction = :both)
        one ? links(one, other, direction).each(&:heal) : @links.heal
      end

      # Ends the connections between two hosts by a RST to both.
      # @api private
      def reset(one, other) = @connections.reset(host(one), host(other))

      # The endpoint of a program's socket; nil for those of the kernel.
      # @api private
      def endpoint(io) = @table.find(io)

      # @api private
      def next_id = @last_id += 1

      # Moves bytes between programs and the network. Returns whether there were any.
      # @api private
      def poll
        moved = @datagrams.poll
        @connections.poll || moved
      end

      # @api private
      def close
        @table.close
        @transport.close
      end
    end
  end
end
