# frozen_string_literal: true

module Raffia
  class Server
    module HTTP
      # `rack.hijack`: gives the socket to the app, for good.
      #
      # @api private
      class Hijack
        def initialize(wire, io)
          @wire = wire
          @io = io
          @used = @over = false
        end

        # The request is over, and what is not taken by now is the next one's.
        # @return [void]
        def expire = @over = true

        # @return [Boolean]
        def used? = @used

        # @return [IO] the socket itself: the app reads, writes and closes it
        # @raise [IOError] when the request is over
        def call
          return @io if @used
          raise IOError, "the request is over, so its socket cannot be taken" if @over

          @wire.ahead = 0 # what is left would be sent by nobody
          @wire.flush
          put_back(@wire.unread)
          @wire.conclude
          @used = true
          @io
        end

        private

        # openssl's sockets take one character at a time.
        def put_back(bytes)
          return if bytes.empty?
          return @io.ungetbyte(bytes) if @io.respond_to?(:ungetbyte)

          bytes.bytes.reverse_each { |byte| @io.ungetc(byte) }
        end
      end
    end
  end
end
