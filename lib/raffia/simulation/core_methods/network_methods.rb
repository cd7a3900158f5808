# frozen_string_literal: true

require "socket"

module Raffia
  module Simulation
    module CoreMethods
      # Sockets of the network of a world. They are the kernel's objects; so only what names, opens
      # or describes them is replaced.
      #
      # @api private
      module NetworkMethods
        require_relative "network_methods/basic_socket_methods"
        require_relative "network_methods/ip_socket_methods"
        require_relative "network_methods/native_methods"
        require_relative "network_methods/resolv_methods"
        require_relative "network_methods/socket_class_methods"
        require_relative "network_methods/socket_instance_methods"
        require_relative "network_methods/tcp_socket_methods"
        require_relative "network_methods/tcp_server_methods"
        require_relative "network_methods/udp_methods"
        require_relative "network_methods/unix_methods"

        class << self
          def network = World.current&.network

          # The simulated endpoint of a socket; nil for others, and outside of a world.
          def endpoint(io) = World.current&.network&.endpoint(io)

          # The same as IO.open.
          def with(io)
            return io unless block_given?

            begin
              yield io
            ensure
              io.close
            end
          end

          def install
            {::IPSocket => IPSocketMethods::Lookup, ::Socket => SocketClassMethods,
             ::TCPSocket => TCPSocketMethods, ::TCPServer => TCPServerMethods::ClassMethods,
             ::UNIXSocket => UNIXMethods::ClassMethods, ::UNIXServer => UNIXMethods::ClassMethods,
             ::UDPSocket => UDPMethods::ClassMethods, ::Resolv => ResolvMethods,
             Native => NativeMethods}
              .each { |owner, methods| Replacement.call(owner, methods) }
            {::BasicSocket => BasicSocketMethods, ::IPSocket => IPSocketMethods,
             ::Socket => SocketInstanceMethods, ::TCPServer => TCPServerMethods,
             ::UNIXServer => UNIXMethods, ::UDPSocket => UDPMethods}
              .each { |owner, methods| owner.prepend(methods) }
          end
        end
      end
    end
  end
end
