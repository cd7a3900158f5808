# frozen_string_literal: true

module Raffia
  class Server
    # TLS handshakes of a listener. Uses renewed certificate files without a restart. Only this file
    # loads openssl.
    #
    # @api private
    class TLS
      # Seconds between two checks of the files.
      CHECK_INTERVAL = 1
      # Response to HTTP on a port for HTTPS.
      PLAIN = "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\nconnection: " \
      "close\r\ncontent-length: 60\r\n\r\n" \
        "This port speaks HTTPS: use a URL that begins with https://\n"
      private_constant :CHECK_INTERVAL, :PLAIN

      # Whether Ractors besides the main one can use TLS: openssl calls io/nonblock, which needs
      # Ruby 3.4.
      def self.in_ractors? = RUBY_VERSION >= "3.4"

      attr_reader :settings

      def initialize(settings)
        load
        @settings = settings
        @contexts = Contexts.new(settings)
        @checked_at = Clock.now
      end

      # Runs in the connection's fiber. Nil: it failed, and the peer knows.
      def handshake(socket)
        ssl = ::OpenSSL::SSL::SSLSocket.new(socket, context)
        ssl.sync_close = true
        accept(ssl, Clock.now + @settings.handshake_timeout)
      rescue ::OpenSSL::SSL::SSLError => error
        answer_plain_http(socket) if error.message.include?("http request")
        nil
      end

      attr_writer :log

      def verifies? = @settings.verify != :none

      # Whether the name that the client has asked for in its handshake has the same certificate as
      # that host.
      def serves?(ssl, host) = @contexts.serves?(ssl.context, host)

      def context
        now = Clock.now
        return @contexts.first if now - @checked_at < CHECK_INTERVAL

        @checked_at = now
        @contexts = @contexts.renewed do |error|
          report("goes on with the old certificates: #{error.message}")
        end
        @contexts.first
      end

      private

      # Loads in the main Ractor: others must not load anything.
      def load
        return if defined?(Contexts)

        Optional.gem("openssl", for: "TLS")
        require_relative "tls/contexts"
      end

      def report(text) = @log ? @log.error(text) : warn("raffia: #{text}")

      def accept(ssl, finish)
        loop do
          wanted = ssl.accept_nonblock(exception: false)
          return ssl unless wanted.is_a?(::Symbol)

          left = finish - Clock.now
          return unless left.positive? && wait(ssl.io, wanted, left)
        end
      end

      def wait(io, wanted, seconds)
        (wanted == :wait_readable) ? io.wait_readable(seconds) : io.wait_writable(seconds)
      end

      # Reads the request first: the kernel resets a socket with unread input, and loses the
      # response.
      def answer_plain_http(socket)
        socket.write_nonblock(PLAIN, exception: false)
        socket.shutdown(::Socket::SHUT_WR)
        socket.read_nonblock(16_384, exception: false)
      rescue SystemCallError
        nil
      end
    end
  end
end
