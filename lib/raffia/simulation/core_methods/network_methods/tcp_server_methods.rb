# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      module NetworkMethods
        # TCPServer's methods.
        #
        # @api private
        module TCPServerMethods
          # TCPServer.new and open.
          module ClassMethods
            def new(*arguments)
              network = NetworkMethods.network or return super
              network.sockets.tcp_server(self, *arguments)
            end

            def open(*arguments, &)
              NetworkMethods.network ? NetworkMethods.with(new(*arguments), &) : super
            end
          end

          def accept
            super.tap { |socket| NetworkMethods.endpoint(socket) }
          end

          def accept_nonblock(**)
            super.tap { |socket| NetworkMethods.endpoint(socket) }
          end

          def listen(backlog)
            endpoint = NetworkMethods.endpoint(self) or return super
            endpoint.network.sockets.listen(endpoint, backlog)
            0
          end
        end
      end
    end
  end
end
