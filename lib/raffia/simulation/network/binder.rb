# frozen_string_literal: true

require_relative "address"

module Raffia
  module Simulation
    class Network
      # Gives sockets their local addresses.
      #
      # @api private
      class Binder
        def initialize(network)
          @network = network
          @transport = network.transport
        end

        # +port+ 0: a free one.
        def bind(endpoint, ip, port)
          raise ::Errno::EINVAL, "bind(2) for #{ip}:#{port}" if endpoint.local
          unless own?(ip, endpoint.host)
            raise ::Errno::EADDRNOTAVAIL, "bind(2) for \"#{ip}\" port #{port}"
          end

          port = port.zero? ? name_free_port(endpoint) : name(endpoint, ip, port)
          endpoint.local = Address.new(ip, port)
        end

        # Names a socket before it sends to an address, unless it has a name.
        def give_source(endpoint, ip)
          bind(endpoint, source(ip, endpoint.host), 0) unless endpoint.local
        end

        # Like {#give_source}. A socket bound to all addresses gets the one that it sends from.
        def connect(endpoint, ip)
          give_source(endpoint, ip)
          return unless endpoint.local.any?

          endpoint.local = endpoint.local.with(ip: source(ip, endpoint.host))
        end

        private

        def own?(ip, host) = @network.host_at(ip, host).equal?(host)

        def source(ip, host)
          Address.new(ip, 0).loopback? ? ip : host.address
        end

        def name(endpoint, ip, port)
          endpoint.raw.bind(@transport.address(endpoint.host.name_of(port, endpoint.type)))
          port
        rescue ::Errno::EADDRINUSE
          raise ::Errno::EADDRINUSE, "bind(2) for \"#{ip}\" port #{port}"
        end

        def name_free_port(endpoint)
          name(endpoint, "", endpoint.host.next_port)
        rescue ::Errno::EADDRINUSE
          retry
        end
      end
    end
  end
end
