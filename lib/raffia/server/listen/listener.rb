# frozen_string_literal: true

require "socket"
require_relative "bind"
require_relative "../error"
require_relative "../tls"
require_relative "../tls/settings"
require_relative "listener/tcp"
require_relative "listener/unix"
require_relative "listener/inherited_socket"
require_relative "listener/proxy_protocol"

module Raffia
  class Server
    module Listen
      # A listening socket and its settings.
      #
      # @api private
      class Listener
        # Seconds for a proxy's PROXY header.
        PROXY_TIMEOUT = 5
        private_constant :PROXY_TIMEOUT

        # A TCPServer or UNIXServer, non-blocking; accepted sockets have TCP_NODELAY.
        attr_reader :socket
        attr_reader :bind
        # IP address, or path of a Unix socket.
        attr_reader :host
        # Nil for a Unix socket.
        attr_reader :port

        # Opens one listener per address of the name, or per inherited socket. `options` has
        # defaults for the bind. With `reuse_port` other workers may open the same port.
        def self.open(bind, options, reuse_port: false, inherited: {})
          tls = tls(bind, options)
          sockets = case bind.scheme
          when "unix" then [Unix.open(bind, backlog(bind, options))]
          when "fd", "systemd" then InheritedSocket.open(bind, inherited)
          else Tcp.open(bind, backlog(bind, options), reuse_port)
          end
          sockets.map { |socket| new(socket, bind, tls: tls) }
        end

        def self.tls(bind, options) = (TLS.new(TLS::Settings.of(bind, options)) if bind.tls?)

        def self.backlog(bind, options) = bind.param(:backlog)&.to_i || options.backlog

        def initialize(socket, bind, tls: nil, owner: ::Process.pid)
          @socket = socket
          @bind = bind
          @tls = tls
          @proxied = bind.proxy?
          @owner = owner
          address = socket.local_address
          @host = address.unix? ? address.unix_path : address.ip_address
          @port = address.ip_port unless address.unix?
          # Absolute: an application may change the working directory.
          @file = ::File.expand_path(@host) if bind.scheme == "unix"
          @identity = Unix.identity(@file) if @file
        end

        # A listener on the same address and port, for another worker.
        def duplicate(options)
          socket = Tcp.duplicate(host, port, self.class.backlog(bind, options))
          self.class.new(socket, bind, tls: @tls)
        end

        # A listener of an earlier server's socket, on the same address.
        def with(socket) = self.class.new(socket, bind, tls: @tls, owner: nil)

        def reuse_port? = bind.tcp? && socket.getsockopt(:SOCKET, :REUSEPORT).bool

        # This process removes the file of a Unix socket.
        def own = @owner = ::Process.pid

        def disown = @owner = nil

        def adopt(socket)
          return self if socket.equal?(@socket)

          socket.autoclose = false
          self.class.new(@socket.class.for_fd(socket.fileno), bind, tls: @tls, owner: nil)
        end

        # Whether each connection begins with a PROXY header.
        def proxied? = @proxied

        def tls_settings = @tls&.settings

        def log=(log)
          @tls&.log = log
        end

        def to_io = socket

        def tls? = bind.tls?

        def scheme = tls? ? "https" : "http"

        def url
          return "unix://#{host}" if port.nil?

          "#{scheme}://#{host.include?(":") ? "[#{host}]" : host}:#{port}"
        end

        # Whether {handshake} does anything.
        def handshake? = !!@tls || @proxied

        # Reads the PROXY header and does the TLS handshake, in the connection's fiber. Yields the
        # address in the PROXY header. Returns an IO for HTTP; nil: the peer was refused.
        def handshake(socket, &)
          read_proxy_header(socket, &) if @proxied
          @tls ? @tls.handshake(socket) : socket
        rescue ProxyProtocol::Malformed
          nil
        end

        def accept_queued(options)
          # At most the backlog: later connections must not keep it busy.
          self.class.backlog(bind, options).succ.times do
            client = socket.accept_nonblock(exception: false)
            return if client == :wait_readable

            yield client
          rescue Errno::ECONNABORTED
            next # the next client may be there
          end
        rescue SystemCallError
          nil # all others would fail, too
        end

        def verifies? = !!@tls&.verifies?

        # Whether requests to this host belong on a connection of TLS. See {TLS#serves?}.
        def serves?(io, host) = @tls.serves?(io, host)

        # Closes the socket. The process that made the file of a Unix socket removes it, unless
        # another server has replaced it.
        def close
          socket.close
          return unless @identity && @owner == ::Process.pid

          ::File.unlink(@file) if Unix.identity(@file) == @identity
        rescue Errno::ENOENT
          nil
        end

        private

        def read_proxy_header(socket)
          address = ProxyProtocol.read(socket, PROXY_TIMEOUT)
          yield address if address && block_given?
        end
      end
    end
  end
end
