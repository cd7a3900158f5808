# frozen_string_literal: true

module Raffia
  class Server
    # `rack.early_hints`: says in a 103 what the client may fetch while the response is being made.
    #
    # @api private
    class EarlyHints
      def initialize(wire)
        @wire = wire
      end

      # @param headers [Hash{String => String, Array<String>}]
      # @return [void]
      def call(headers)
        @wire.inform(103, headers) unless @wire.begun?
        nil
      end
    end
  end
end
