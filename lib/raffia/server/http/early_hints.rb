# frozen_string_literal: true

module Raffia
  class Server
    module HTTP
      # `rack.early_hints`: names in a 103 response what the client may fetch in the meantime.
      #
      # @api private
      class EarlyHints
        # @param stream [Stream]
        def initialize(stream)
          @stream = stream
          @expired = false
        end

        # Does nothing once the response has begun.
        # @param headers [Hash{String => String, Array<String>}]
        # @return [void]
        def call(headers)
          @stream.inform(103, headers) unless @expired
          nil
        end

        # The request is over: the stream serves the next one.
        # @return [void]
        def expire = @expired = true
      end
    end
  end
end
