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
      # A socket that listens, and what is known of it.
      class Listener
        # Seconds that a proxy may take to say for whom it speaks: it does so at once.
        PATIENCE = 5
        private_constant :PATIENCE

        # @return [TCPServer, UNIXServer] accepts without waiting. What it accepts sends small
        #   pieces at once (TCP_NODELAY)
        attr_reader :socket
        # @return [Bind] what it was asked for by
        attr_reader :bind
        # @return [String] of the machine, as a client may name it; of a Unix socket the path
        attr_reader :host
        # @return [Integer, nil] the port that it has got; nil for a Unix socket
        attr_reader :port

        # @param bind [Bind]
        # @param options [Options] for what the address does not say itself
        # @param reuse_port [Boolean] whether others of this server will have the same port
        # @param inherited [Hash{Integer => String}] what systemd has handed in
        # @return [Array<Listener>] more than one where a name stands for several addresses, or
        #   several sockets were handed in
        # @raise [CannotListen] when the address cannot be had
        def self.open(bind, options, reuse_port: false, inherited: {})
          tls = tls(bind, options)
          sockets = case bind.scheme
          when "unix" then [Unix.open(bind, backlog(bind, options))]
          when "fd", "systemd" then InheritedSocket.open(bind, inherited)
          else Tcp.open(bind, backlog(bind, options), reuse_port)
          end
          sockets.map { |socket| new(socket, bind, tls: tls) }
        end

        # @return [TLS, nil] nil: there is to be none
        # @raise [ConfigError] when its files will not do
        # @api private
        def self.tls(bind, options) = (TLS.new(TLS::Settings.of(bind, options)) if bind.tls?)

        # @return [Integer] of the address itself, or else of all
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
          # an application may go to another folder
          @file = ::File.expand_path(@host) if bind.scheme == "unix"
          @identity = Unix.identity(@file) if @file
        end

        # @return [Listener] one more with the same address and port, for another worker
        def again(options)
          self.class.new(Tcp.again(host, port, self.class.backlog(bind, options)), bind, tls: @tls)
        end

        # @param socket [IO] of the same address
        # @return [Listener]
        def adopt(socket)
          return self if socket.equal?(@socket)

          socket.autoclose = false
          self.class.new(@socket.class.for_fd(socket.fileno), bind, tls: @tls, owner: nil)
        end

        # @return [TLS::Settings, nil] from which another Ractor makes what it needs
        # @api private
        def tls_settings = @tls&.settings

        # @param log [#error] hears of certificates that cannot be read any more
        # @return [void]
        def log=(log)
          @tls&.log = log
        end

        # @return [IO] what the loop waits for
        def to_io = socket

        # @return [Boolean]
        def tls? = bind.tls?

        # @return [String] rack.url_scheme of what comes in here
        def scheme = tls? ? "https" : "http"

        # @return [String] for people, and for the tests that connect to it
        def url
          return "unix://#{host}" if port.nil?

          "#{scheme}://#{host.include?(":") ? "[#{host}]" : host}:#{port}"
        end

        # What is to be done with a new connection before HTTP is spoken on it, in the connection's
        # own fiber.
        # @param socket [BasicSocket] that was accepted here
        # @yieldparam address [String] the client's, where it is another one than the socket's
        # @return [IO, nil] to speak HTTP on; nil: the peer was turned away
        def admit(socket, &)
          return socket unless @tls || @proxied

          introduce(socket, &) if @proxied
          @tls ? @tls.admit(socket) : socket
        rescue ProxyProtocol::Malformed
          nil
        end

        # Accepts the connections that are in the kernel's queue by now, and never waits.
        # @param options [Options]
        # @yieldparam socket [BasicSocket]
        # @return [void]
        # @api private
        def queued(options)
          # So many may be queued. Those that come later must not keep it busy for ever.
          self.class.backlog(bind, options).succ.times do
            client = socket.accept_nonblock(exception: false)
            return if client == :wait_readable

            yield client
          rescue Errno::ECONNABORTED
            next # this client has gone; others may be behind it
          end
        rescue SystemCallError
          nil # the others cannot be accepted either
        end

        # @return [Boolean] whether clients may show certificates
        def verifies? = !!@tls&.verifies?

        # Closes the socket. The file of a Unix socket is removed by the process that made it,
        # unless another server has made a new one.
        # @return [void]
        def close
          socket.close
          return unless @identity && @owner == ::Process.pid

          ::File.unlink(@file) if Unix.identity(@file) == @identity
        rescue Errno::ENOENT
          nil
        end

        private

        def introduce(socket)
          address = ProxyProtocol.read(socket, PATIENCE)
          yield address if address && block_given?
        end
      end
    end
  end
end
