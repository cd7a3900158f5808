# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      module NetworkMethods
        # Calls of sockets by Raffia's extension.
        #
        # @api private
        module NativeMethods
          def accept(listener, kind, poll)
            return super unless NetworkMethods.network

            super do |socket, address|
              endpoint = NetworkMethods.endpoint(socket)
              yield socket, endpoint ? endpoint.remote_address.ip : address
            end
          end

          def peer(socket)
            endpoint = NetworkMethods.endpoint(socket)
            endpoint ? endpoint.remote_address.ip : super
          end
        end
      end
    end
  end
end
