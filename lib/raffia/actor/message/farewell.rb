# frozen_string_literal: true

module Raffia
  class Actor
    # The last one for an object.
    #
    # @api private
    class Farewell < Message
      # @return [Object]
      attr_reader :reason

      def initialize(cell, reason, final)
        super(cell, :stop, nil, nil, nil, nil, nil, nil)
        @reason = reason
        @final = final
      end

      def kept? = true

      # @return [Boolean] whether no other object is to follow
      def final? = @final
    end
  end
end
