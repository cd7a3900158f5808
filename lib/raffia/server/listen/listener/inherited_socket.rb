# frozen_string_literal: true

require "socket"

module Raffia
  class Server
    module Listen
      class Listener
        # Sockets opened by another program: by number, or by systemd's socket activation.
        #
        # @api private
        module InheritedSocket
          class << self
            def open(bind, inherited)
              return [server(bind, bind.path.to_i)] if bind.scheme == "fd"

              numbers = inherited.filter_map do |number, name|
                number if bind.path.empty? || bind.path == name
              end
              if numbers.empty?
                raise CannotListen, "cannot listen on #{bind}: #{missing(inherited)}"
              end

              numbers.map { |number| server(bind, number) }
            end

            private

            def missing(inherited)
              if inherited.empty?
                return "systemd has handed no socket in (LISTEN_FDS): start the .socket unit"
              end

              "systemd has handed in #{inherited.values.uniq.join(", ")} (FileDescriptorName= of " \
                "the .socket unit)"
            end

            def server(bind, number)
              socket = ::Socket.for_fd(number).tap { |plain| plain.autoclose = false }
              check(bind, socket)
              address = socket.local_address
              socket.setsockopt(:TCP, :NODELAY, true) if address.ip?
              (address.unix? ? UNIXServer : TCPServer).for_fd(number)
                .tap { |server| server.close_on_exec = true }
            rescue SystemCallError, ArgumentError => error
              raise CannotListen, "cannot listen on #{bind}: descriptor #{number} is no socket " \
                "(#{error.message})"
            end

            def check(bind, socket)
              return if socket.getsockopt(:SOCKET, :ACCEPTCONN).bool

              raise CannotListen, "cannot listen on #{bind}: that socket does not listen"
            end
          end
        end
        private_constant :InheritedSocket
      end
    end
  end
end
