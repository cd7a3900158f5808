# frozen_string_literal: true

require "socket"
require_relative "../../base/fork"
require_relative "../../jobs/web"
require_relative "../../server"

module Raffia
  module CLI
    module Work
      # The dashboard of `raffia work --web`, run like a worker: under a supervisor in its own
      # process, which has loaded the program and its store. The supervisor keeps the socket, so
      # connections survive a restart.
      #
      # @api private
      class Dashboard
        ADDRESS =
          %r{\A(?:tcp://)?(?:(?:\[(?<six>[\h:]+)\]|(?<host>[^:/\[\]@]*)):)?(?<port>\d{1,5})\z}
        private_constant :ADDRESS

        attr_reader :socket

        # `credentials`: USER:PASSWORD, or nil. Raises ConfigError for an invalid address, or for
        # one that others can reach without credentials.
        def initialize(address, credentials, read_only:, title:, log:)
          @log = log
          user, password = credentials&.split(":", 2)
          if credentials && (user.empty? || password.to_s.empty?)
            raise ConfigError, "RAFFIA_WEB_AUTH must be USER:PASSWORD, and neither may be empty"
          end

          @web = Jobs::Web.new(user: user, password: password, read_only: read_only, title: title)
          @socket = listen(*parse(address), credentials)
          @ends = ::Thread::Queue.new
        end

        def url
          address = @socket.local_address
          host = address.ipv6? ? "[#{address.ip_address}]" : address.ip_address
          "http://#{host}:#{address.ip_port}/"
        end

        # Serves in a thread of this process.
        def start
          @socket.autoclose = false # the server does that
          handle = Server.start(@web, bind: "fd://#{@socket.fileno}", logger: @log,
            max_connections: 64, drain_timeout: 1)
          # Child processes would keep the port open after this one has ended.
          Fork.after_child { handle.listeners.each { |listener| listener.socket.close } }
          handle
        end

        # Uses the socket that the supervisor has kept.
        def at(socket) = tap { @socket = socket }

        def run
          handle = start
          yield
          @ends.pop
          handle.stop
        end

        def stop = @ends.push(:stop)

        def quiet = nil

        private

        def parse(address)
          match = ADDRESS.match(address)
          unless match && match[:port].to_i <= 65_535
            raise ConfigError, "#{address.inspect} is no address for --web: use HOST:PORT, such " \
              "as 127.0.0.1:9293, or a port"
          end
          [match[:six] || match[:host] || "127.0.0.1", match[:port].to_i]
        end

        def listen(host, port, credentials)
          unless credentials || own?(host, port)
            raise ConfigError,
              "--web #{host}:#{port} can be reached by others, and they could read and change " \
              "all jobs: " \
              "set RAFFIA_WEB_AUTH=USER:PASSWORD, or use 127.0.0.1"
          end
          TCPServer.new(host, port)
        rescue SystemCallError, SocketError => error
          raise Server::CannotListen, "cannot listen on #{host}:#{port}: #{error.message}"
        end

        def own?(host, port)
          !host.empty? &&
            Addrinfo.getaddrinfo(host, port, nil, :STREAM)
              .all? { |address| address.ipv4_loopback? || address.ipv6_loopback? }
        end
      end
    end
  end
end
