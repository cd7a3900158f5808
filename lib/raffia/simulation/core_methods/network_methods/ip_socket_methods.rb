# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      module NetworkMethods
        # Addresses as arrays.
        #
        # @api private
        module IPSocketMethods
          # IPSocket.getaddress.
          module Lookup
            def getaddress(name)
              network = NetworkMethods.network
              network ? network.names.resolve!(name).first : super
            end
          end

          def addr(*)
            endpoint = NetworkMethods.endpoint(self)
            endpoint ? endpoint.local_address.to_a : super
          end

          def peeraddr(*)
            endpoint = NetworkMethods.endpoint(self)
            endpoint ? endpoint.remote_address.to_a : super
          end

          def inspect
            endpoint = NetworkMethods.endpoint(self)
            endpoint ? "#<#{self.class}:#{endpoint}>" : super
          end
        end
      end
    end
  end
end
