# frozen_string_literal: true

module Raffia
  module Simulation
    class Network
      # The DNS of a simulated network: names of hosts, and names that the program gives.
      class Names
        LITERAL = /\A(?:\d+\.\d+\.\d+\.\d+|[0-9a-f:.]*:[0-9a-f:.]*)\z/i
        private_constant :LITERAL

        # @return [Numeric] seconds that a lookup takes
        attr_accessor :latency

        # @api private
        def initialize(network)
          @network = network
          @names = {}
          @latency = 0
        end

        # @param name [String]
        # @return [Array<String>, nil] the addresses that were given to it
        def [](name) = @names[name]

        # @param name [String]
        # @param addresses [Array<String>, String] names of hosts or IP addresses; none: the name
        #   does not exist
        def []=(name, addresses)
          @names[name] = [*addresses].freeze
        end

        # @api private
        def known?(name)
          name.empty? || name == "localhost" || @names.key?(name) || @network.hosts.key?(name)
        end

        # IP addresses of a name; empty when it does not exist.
        # @api private
        def resolve(name)
          return [LITERAL.match?(name) ? name : "127.0.0.1"] if local?(name)

          ::Kernel.sleep(@latency) if @latency.positive?
          given = @names[name]
          return given.map { |one| @network.hosts[one]&.address || one } if given

          host = @network.hosts[name] or return unknown(name)
          [host.address]
        end

        # Like {#resolve}, for replaced methods.
        # @raise [SocketError]
        # @api private
        def resolve!(name)
          resolve(name).tap { |addresses| raise self.class.send(:not_found) if addresses.empty? }
        end

        def self.not_found
          kind = defined?(::Socket::ResolutionError) ? ::Socket::ResolutionError : ::SocketError
          kind.new("getaddrinfo: Name or service not known")
        end
        private_class_method :not_found

        private

        def local?(name) = name == "localhost" || LITERAL.match?(name)

        # The real DNS, if the run may use real sockets.
        def unknown(name)
          world = @network.world
          return world.boundary.name(name) unless world.settings.allow?(:sockets)

          world.outside { ::Addrinfo.getaddrinfo(name, nil, nil, :STREAM).map(&:ip_address) }
        end
      end
    end
  end
end
