# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      module NetworkMethods
        # Socket's methods for one connection.
        #
        # @api private
        module SocketInstanceMethods
          def bind(address)
            endpoint = NetworkMethods.endpoint(self) or return super
            to = Network::Address.of(address)
            endpoint.network.binder.bind(endpoint, to.ip, to.port)
            0
          end

          def listen(backlog)
            endpoint = NetworkMethods.endpoint(self) or return super
            endpoint.network.sockets.listen(endpoint, backlog)
            0
          end

          def connect(address)
            endpoint = NetworkMethods.endpoint(self) or return super
            to = Network::Address.of(address)
            endpoint.network.sockets.connect_and_wait(endpoint, to.ip, to.port)
            0
          end

          def connect_nonblock(address, exception: true)
            endpoint = NetworkMethods.endpoint(self) or return super
            to = Network::Address.of(address)
            endpoint.network.sockets.connect_nonblock(endpoint, to, exception)
          end

          def accept
            NetworkMethods.endpoint(self) ? with_address(super) : super
          end

          def accept_nonblock(exception: true)
            return super unless NetworkMethods.endpoint(self)

            accepted = super
            accepted.is_a?(::Array) ? with_address(accepted) : accepted
          end

          def ipv6only!
            super unless NetworkMethods.endpoint(self)
          end

          private

          def with_address((socket, _)) = [socket, socket.remote_address]
        end
      end
    end
  end
end
