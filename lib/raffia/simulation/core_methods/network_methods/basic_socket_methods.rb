# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      module NetworkMethods
        # Addresses, options and shutdown of sockets.
        #
        # @api private
        module BasicSocketMethods
          def local_address
            endpoint = NetworkMethods.endpoint(self)
            endpoint ? endpoint.local_address.addrinfo(endpoint.type) : super
          end

          def remote_address
            endpoint = NetworkMethods.endpoint(self)
            endpoint ? endpoint.remote_address.addrinfo(endpoint.type) : super
          end

          def getsockname
            endpoint = NetworkMethods.endpoint(self)
            endpoint ? endpoint.local_address.sockaddr : super
          end

          def getpeername
            endpoint = NetworkMethods.endpoint(self)
            endpoint ? endpoint.remote_address.sockaddr : super
          end

          def setsockopt(*arguments)
            endpoint = NetworkMethods.endpoint(self) or return super
            endpoint.options.set(*arguments) ? 0 : super
          end

          def getsockopt(level, name)
            endpoint = NetworkMethods.endpoint(self) or return super
            endpoint.options.get(level, name) || super
          end

          def shutdown(how = ::Socket::SHUT_RDWR)
            unless [:RD, :SHUT_RD, "RD", "SHUT_RD", ::Socket::SHUT_RD].include?(how)
              NetworkMethods.endpoint(self)&.half_close
            end
            super
          end

          def close_write
            NetworkMethods.endpoint(self)&.half_close
            super
          end
        end
      end
    end
  end
end
