# frozen_string_literal: true

module Raffia
  module Simulation
    module CoreMethods
      module NetworkMethods
        # Sockets of the UNIX domain belong to the host that opens them.
        #
        # @api private
        module UNIXMethods
          # UNIXSocket's and UNIXServer's.
          module ClassMethods
            def new(...) = UNIXMethods.own(super)

            def open(*arguments, **options, &)
              return super unless NetworkMethods.network

              NetworkMethods.with(new(*arguments, **options), &)
            end

            def pair(*arguments, &block)
              return super unless NetworkMethods.network

              UNIXMethods.pair(super(*arguments, &nil), &block)
            end

            def socketpair(*arguments, &block)
              return super unless NetworkMethods.network

              UNIXMethods.pair(super(*arguments, &nil), &block)
            end
          end

          def self.own(socket)
            NetworkMethods.network&.table&.add_local(socket) if socket.is_a?(::BasicSocket)
            socket
          end

          def self.pair(sockets)
            sockets.each { |socket| own(socket) }
            return sockets unless block_given?

            begin
              yield sockets
            ensure
              sockets.each(&:close)
            end
          end

          def accept = UNIXMethods.own(super)

          def accept_nonblock(**) = UNIXMethods.own(super)
        end
      end
    end
  end
end
