# frozen_string_literal: true

module Raffia
  class Server
    module HTTP
      # `rack.hijack`: gives the socket to the application for good.
      #
      # @api private
      class Hijack
        # A new one, which costs fewer instructions than `new`.
        def self.of(stream) = Native.allocate(self).open(stream)

        # Returns itself.
        def open(stream)
          @stream = stream
          @io = nil
          @expired = false
          self
        end

        # The socket now belongs to the next request.
        def expire = @expired = true

        def expired? = @expired

        def used? = !!@io

        # The application reads, writes and closes the socket.
        def call
          return @io if @io
          raise IOError, "the request is over, so its socket cannot be taken" if @expired

          @io = @stream.hijack
        end
      end
    end
  end
end
