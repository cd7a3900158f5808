# frozen_string_literal: true

module Raffia
  class Server
    module HTTP
      # `rack.early_hints`: says in a 103 what the client may fetch while the response is being
      # made.
      #
      # @api private
      class EarlyHints
        def initialize(wire)
          @wire = wire
          @over = false
        end

        # Nothing is said when it is too late.
        # @param headers [Hash{String => String, Array<String>}]
        # @return [void]
        def call(headers)
          @wire.inform(103, headers) unless @over || @wire.begun?
          nil
        end

        # The request is over, and the wire is the next one's.
        # @return [void]
        def expire = @over = true
      end
    end
  end
end
