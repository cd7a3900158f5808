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

          # As IO.open.
          def with(io)
            return io unless block_given?

            begin
              yield io
            ensure
              io.close
            end
          end

          def install
            ::BasicSocket.prepend(BasicSocketMethods)
            ::IPSocket.prepend(IPSocketMethods)
            ::IPSocket.singleton_class.prepend(IPSocketMethods::Lookup)
            ::Socket.prepend(SocketInstanceMethods)
            ::Socket.singleton_class.prepend(SocketClassMethods)
            ::TCPSocket.singleton_class.prepend(TCPSocketMethods)
            ::TCPServer.singleton_class.prepend(TCPServerMethods::ClassMethods)
            ::TCPServer.prepend(TCPServerMethods)
            [::UNIXSocket, ::UNIXServer].each do |owner|
              owner.singleton_class.prepend(UNIXMethods::ClassMethods)
            end
            ::UNIXServer.prepend(UNIXMethods)
            ::UDPSocket.prepend(UDPMethods)
            ::UDPSocket.singleton_class.prepend(UDPMethods::ClassMethods)
            ::Resolv.singleton_class.prepend(ResolvMethods)
            Native.singleton_class.prepend(NativeMethods)
          end
        end
      end
    end
  end
end
