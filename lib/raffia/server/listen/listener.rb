# frozen_string_literal: true

require "socket"
require_relative "bind"
require_relative "../errors"
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
      class Listener
        # Seconds for a proxy's PROXY header.
        PROXY_TIMEOUT = 5
        private_constant :PROXY_TIMEOUT

        # @return [TCPServer, UNIXServer] non-blocking; what it accepts has TCP_NODELAY
        attr_reader :socket
        # @return [Bind]
        attr_reader :bind
        # @return [String] address of the machine, or path of a Unix socket
        attr_reader :host
        # @return [Integer, nil] nil for a Unix socket
        attr_reader :port

        # @param bind [Bind]
        # @param options [Options] for what the bind does not set
        # @param reuse_port [Boolean] whether other workers will open the same port
        # @param inherited [Hash{Integer => String}] descriptors and names from systemd
        # @return [Array<Listener>] several for a name with several addresses, or for several
        #   inherited sockets
        # @raise [CannotListen]
        def self.open(bind, options, reuse_port: false, inherited: {})
          tls = tls(bind, options)
          sockets = case bind.scheme
          when "unix" then [Unix.open(bind, backlog(bind, options))]
          when "fd", "systemd" then InheritedSocket.open(bind, inherited)
          else Tcp.open(bind, backlog(bind, options), reuse_port)
          end
          sockets.map { |socket| new(socket, bind, tls: tls) }
        end

        # @return [TLS, nil]
        # @raise [ConfigError] when its files cannot be used
        # @api private
        def self.tls(bind, options) = (TLS.new(TLS::Settings.of(bind, options)) if bind.tls?)

        # @api private
        def self.backlog(bind, options) = bind.param(:backlog)&.to_i || options.backlog

        # @api private
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

        # @return [Listener] another one on the same address and port, for another worker
        def duplicate(options)
          socket = Tcp.duplicate(host, port, self.class.backlog(bind, options))
          self.class.new(socket, bind, tls: @tls)
        end

        # @param socket [IO] of the same address
        # @return [Listener] that accepts from it
        def adopt(socket)
          return self if socket.equal?(@socket)

          socket.autoclose = false
          self.class.new(@socket.class.for_fd(socket.fileno), bind, tls: @tls, owner: nil)
        end

        # @return [TLS::Settings, nil] shareable
        # @api private
        def tls_settings = @tls&.settings

        # @param log [#error] for certificates that cannot be read any more
        def log=(log)
          @tls&.log = log
        end

        # @return [IO]
        def to_io = socket

        # @return [Boolean]
        def tls? = bind.tls?

        # @return [String] rack.url_scheme of its requests
        def scheme = tls? ? "https" : "http"

        # @return [String]
        def url
          return "unix://#{host}" if port.nil?

          "#{scheme}://#{host.include?(":") ? "[#{host}]" : host}:#{port}"
        end

        # Reads the PROXY header and does the TLS handshake of a new connection, in its fiber.
        # @param socket [BasicSocket]
        # @yieldparam address [String] the client's, from the PROXY header
        # @return [IO, nil] for HTTP; nil: the peer was refused
        def handshake(socket, &)
          return socket unless @tls || @proxied

          read_proxy_header(socket, &) if @proxied
          @tls ? @tls.handshake(socket) : socket
        rescue ProxyProtocol::Malformed
          nil
        end

        # Accepts the connections that the kernel has queued, without waiting.
        # @yieldparam socket [BasicSocket]
        # @api private
        def accept_queued(options)
          # No more than can be queued: connections that come later must not keep it busy.
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

        # @return [Boolean] whether clients may show certificates
        def verifies? = !!@tls&.verifies?

        # Closes the socket. The process that made the file of a Unix socket removes it, unless
        # another server has made a new one.
        # @return [void]
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
