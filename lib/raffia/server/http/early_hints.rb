# frozen_string_literal: true

module Raffia
  class Server
    module HTTP
      # `rack.early_hints`: names in a 103 response what the client may fetch in the meantime.
      #
      # @api private
      class EarlyHints
        def initialize(stream)
          @stream = stream
          @expired = false
        end

        # Does nothing once the response has begun.
        def call(headers)
          @stream.inform(103, headers) unless @expired
          nil
        end

        # The request is over: the stream serves the next one.
        def expire = @expired = true
      end
    end
  end
end
