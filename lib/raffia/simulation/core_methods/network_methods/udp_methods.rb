# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      module NetworkMethods
        # Sockets for UDP. Senders' addresses are those of simulated hosts.
        #
        # @api private
        module UDPMethods
          # UDPSocket's class methods.
          module ClassMethods
            def new(*)
              network = NetworkMethods.network or return super
              network.datagrams.create(self).io
            end

            def open(*arguments, &)
              return super unless NetworkMethods.network

              NetworkMethods.with(new(*arguments), &)
            end
          end

          def bind(host, port)
            endpoint = NetworkMethods.endpoint(self) or return super
            endpoint.network.datagrams.bind(endpoint, host, port)
            0
          end

          def connect(host, port)
            endpoint = NetworkMethods.endpoint(self) or return super
            endpoint.network.datagrams.connect(endpoint, host, port)
            0
          end

          def send(bytes, flags = 0, *address)
            endpoint = NetworkMethods.endpoint(self) or return super
            return super if address.empty?

            endpoint.network.datagrams.send(endpoint, bytes, *address)
          end

          # Without control messages; a datagram never waits for room.
          def sendmsg(bytes, flags = 0, address = nil, *controls)
            return super unless address && NetworkMethods.endpoint(self)

            send(bytes, flags, address)
          end

          def sendmsg_nonblock(bytes, flags = 0, address = nil, *controls, exception: true)
            return super unless address && NetworkMethods.endpoint(self)

            send(bytes, flags, address)
          end

          def recvmsg(...) = with_sender(super)

          def recvmsg_nonblock(...) = with_sender(super)

          def recvfrom(length, flags = 0)
            return super unless NetworkMethods.endpoint(self)

            bytes, sender = recvmsg(length, flags)
            [bytes, Network::Address.of(sender).to_a]
          end

          def recvfrom_nonblock(length, flags = 0, _buffer = nil, exception: true)
            return super unless NetworkMethods.endpoint(self)

            bytes, sender = recvmsg_nonblock(length, flags, exception: exception)
            (bytes == :wait_readable) ? bytes : [bytes, Network::Address.of(sender).to_a]
          end

          private

          def with_sender(message)
            endpoint = NetworkMethods.endpoint(self)
            return message unless endpoint && message.is_a?(::Array)

            message[1] = endpoint.network.datagrams.sender(message[1], endpoint).addrinfo(:udp)
            message
          end
        end
      end
    end
  end
end
