# frozen_string_literal: true

require_relative "../base/clock"
require_relative "../base/optional"

module Raffia
  class Server
    # What a listener needs to speak TLS: contexts with certificates, and the handshake. The
    # certificates' files are looked at again from time to time, so a renewed one is used without a
    # restart.
    #
    # This is the one file that loads openssl.
    #
    # @api private
    class TLS
      # In the order of preference. HTTP/2 will stand before it.
      PROTOCOLS = %w[http/1.1].freeze
      # Seconds between two looks at the files.
      LOOK = 1
      # Who speaks HTTP to a port for HTTPS is told so, as he can read it.
      PLAIN = "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain\r\nconnection: " \
      "close\r\ncontent-length: 60\r\n\r\n" \
        "This port speaks HTTPS: use a URL that begins with https://\n"
      private_constant :LOOK, :PLAIN

      # Contexts are no objects that Ractors can have in common, so each makes its own. But Ruby's
      # openssl asks each socket for a method of io/nonblock, which before Ruby 3.4 may be called in
      # the main Ractor only.
      # @return [Boolean] whether it can be spoken in other Ractors than the main one
      def self.in_ractors? = RUBY_VERSION >= "3.4"

      # @return [Settings] shareable
      attr_reader :settings

      # @param settings [Settings]
      # @raise [ConfigError] when a file cannot be read, or its contents make no sense
      def initialize(settings)
        load
        @settings = settings
        @contexts = Contexts.new(settings)
        @looked = Clock.now
      end

      # The handshake, in the connection's own fiber.
      #
      # @param socket [BasicSocket]
      # @return [OpenSSL::SSL::SSLSocket, nil] nil: there is none to be had with this peer, and it
      #   has been told
      def admit(socket)
        ssl = ::OpenSSL::SSL::SSLSocket.new(socket, context)
        ssl.sync_close = true
        shake(ssl, Clock.now + @settings.handshake_timeout)
      rescue ::OpenSSL::SSL::SSLError => error
        speak_plainly(socket) if error.message.include?("http request")
        nil
      end

      # @return [#error, nil]
      attr_writer :log

      # @return [Boolean] whether clients may show certificates
      def verifies? = @settings.verify != :none

      # @return [OpenSSL::SSL::SSLContext] the one that connections begin with
      def context
        now = Clock.now
        return @contexts.first if now - @looked < LOOK

        @looked = now
        @contexts = @contexts.renewed do |error|
          complain("goes on with the old certificates: #{error.message}")
        end
        @contexts.first
      end

      private

      # Once, in the main Ractor: there is nothing to be loaded in the others.
      def load
        return if defined?(Contexts)

        Optional.gem("openssl", for: "TLS")
        require_relative "tls/contexts"
      end

      def complain(text) = @log ? @log.error(text) : warn("raffia: #{text}")

      # @return [OpenSSL::SSL::SSLSocket, nil] nil: it takes too long
      def shake(ssl, finish)
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

      # What the peer has sent meanwhile is thrown away: with unread input the kernel would reset
      # the connection, answer and all.
      def speak_plainly(socket)
        socket.write_nonblock(PLAIN, exception: false)
        socket.shutdown(::Socket::SHUT_WR)
        socket.read_nonblock(16_384, exception: false)
      rescue SystemCallError
        nil
      end
    end
  end
end
