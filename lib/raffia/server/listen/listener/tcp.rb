# frozen_string_literal: true

require "socket"
require_relative "port_holder"

module Raffia
  class Server
    module Listen
      class Listener
        # TCP sockets of one or both families.
        #
        # @api private
        module Tcp
          NO_IPV6 = [Errno::EAFNOSUPPORT, Errno::EADDRNOTAVAIL, Errno::EPROTONOSUPPORT].freeze
          private_constant :NO_IPV6

          class << self
            def open(bind, backlog, reuse_port)
              port = bind.port
              addresses(bind).each_with_object([]) do |address, sockets|
                sockets << listen(address, port, backlog, reuse_port)
                port = sockets.first.local_address.ip_port # of port 0, the same on both families
              rescue *NO_IPV6
                raise unless address.include?(":") && bind.local?
              end
            rescue SystemCallError, SocketError => error
              raise CannotListen, "cannot listen on #{bind}: #{reason(error, bind)}"
            end

            def duplicate(host, port, backlog) = listen(host, port, backlog, true, check: false)

            private

            # Does not resolve localhost, which in containers may lack IPv4 or IPv6.
            def addresses(bind)
              return %w[127.0.0.1 ::1] if bind.local?

              [Addrinfo.tcp(bind.host, bind.port).ip_address]
            end

            def listen(address, port, backlog, reuse_port, check: reuse_port && port.positive?)
              check_free(address, port) if check
              dual(address) do |host, only|
                server(host, port, backlog, only) do |socket|
                  socket.setsockopt(:SOCKET, :REUSEPORT, true) if reuse_port
                end
              end
            end

            # "::" includes IPv4, and means IPv4 alone where there is no IPv6.
            def dual(address)
              yield address, address != "::"
            rescue *NO_IPV6
              raise unless address == "::"

              yield "0.0.0.0", true
            end

            # With SO_REUSEPORT another server of the same user could take a part of the
            # connections.
            def check_free(address, port)
              dual(address) { |host, only| socket(host, port, only).close }
            end

            def socket(host, port, only)
              address = Addrinfo.tcp(host, port)
              socket = ::Socket.new(address.afamily, :STREAM)
              socket.setsockopt(:SOCKET, :REUSEADDR, true)
              socket.setsockopt(:IPV6, :V6ONLY, only) if address.ipv6?
              yield socket if block_given?
              socket.bind(address)
              socket
            rescue SystemCallError
              socket&.close
              raise
            end

            def server(host, port, backlog, only, &)
              socket = socket(host, port, only, &)
              socket.setsockopt(:TCP, :NODELAY, true)
              socket.listen(backlog)
              socket.autoclose = false
              TCPServer.for_fd(socket.fileno)
            rescue SystemCallError
              socket&.close
              raise
            end

            def reason(error, bind)
              case error
              when Errno::EADDRINUSE
                "the port is in use#{PortHolder.of(bind.port)}. Stop that, or choose another one " \
                  "with -p"
              when Errno::EACCES
                "the system does not allow it: ports below #{privileged} need root or the " \
                  "capability CAP_NET_BIND_SERVICE"
              when Errno::EADDRNOTAVAIL then "this machine does not have the address"
              else error.message
              end
            end

            def privileged
              ::File.read("/proc/sys/net/ipv4/ip_unprivileged_port_start").strip
            rescue SystemCallError
              "1024"
            end
          end
        end
        private_constant :Tcp
      end
    end
  end
end
