# frozen_string_literal: true

require "resolv"

module Raffia
  module Simulation
    module CoreMethods
      module NetworkMethods
        # Resolv's class methods: the DNS of the world.
        #
        # @api private
        module ResolvMethods
          def getaddress(name)
            network = NetworkMethods.network or return super
            network.names.resolve(name).first or
              raise ::Resolv::ResolvError, "no address for #{name}"
          end

          def getaddresses(name)
            network = NetworkMethods.network
            network ? network.names.resolve(name) : super
          end

          def each_address(name, &)
            NetworkMethods.network ? getaddresses(name).each(&) : super
          end
        end
      end
    end
  end
end
