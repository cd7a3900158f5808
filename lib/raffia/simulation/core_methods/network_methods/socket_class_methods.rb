# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      module NetworkMethods
        # Socket's class methods.
        #
        # @api private
        module SocketClassMethods
          FAMILIES = [:INET, :INET6, "INET", "INET6", :AF_INET, :AF_INET6, "AF_INET", "AF_INET6",
            :PF_INET, :PF_INET6, ::Socket::AF_INET, ::Socket::AF_INET6].freeze
          STREAMS = [:STREAM, :SOCK_STREAM, "STREAM", "SOCK_STREAM", ::Socket::SOCK_STREAM].freeze
          private_constant :FAMILIES, :STREAMS

          def new(family, type = :STREAM, *protocol)
            network = NetworkMethods.network
            return super unless network && FAMILIES.include?(family) && STREAMS.include?(type)

            network.sockets.create(self).io
          end

          def open(*arguments, **options, &)
            return super unless NetworkMethods.network

            NetworkMethods.with(new(*arguments, **options), &)
          end

          def tcp(host, port, *local, **options, &)
            network = NetworkMethods.network
            return super unless network&.serves?(host)

            timeout = options[:connect_timeout] || options[:open_timeout]
            socket = network.sockets.tcp(self, host, port, *local, timeout: timeout)
            NetworkMethods.with(socket, &)
          end

          def gethostname
            NetworkMethods.network&.current_host&.name || super
          end
        end
      end
    end
  end
end
