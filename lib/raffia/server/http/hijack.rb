# frozen_string_literal: true

module Raffia
  class Server
    module HTTP
      # `rack.hijack`: hands the socket to the application, for good.
      #
      # @api private
      class Hijack
        def initialize(stream)
          @stream = stream
          @expired = false
        end

        # Ends the offer: what is not taken by now belongs to the next request.
        def expire = @expired = true

        def used? = !!@io

        # @return [IO] the socket; the application reads, writes and closes it
        # @raise [IOError] when the request is over
        def call
          return @io if @io
          raise IOError, "the request is over, so its socket cannot be taken" if @expired

          @io = @stream.hijack
        end
      end
    end
  end
end
