# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      module NetworkMethods
        # TCPSocket's class methods.
        #
        # @api private
        module TCPSocketMethods
          def new(*arguments, **options)
            network = NetworkMethods.network
            return super unless network&.serves?(arguments.first) && arguments.size >= 2

            timeout = options[:connect_timeout] || options[:open_timeout]
            network.sockets.tcp(self, *arguments, timeout: timeout)
          end

          def open(*arguments, **options, &)
            return super unless NetworkMethods.network

            NetworkMethods.with(new(*arguments, **options), &)
          end
        end
      end
    end
  end
end
