# frozen_string_literal: true

module Raffia
  class Actor
    # What is still to be answered, by whoever has this.
    class Answer
      # @api private
      def initialize(cell, reply)
        @cell = cell
        @reply = reply
      end

      # @param value [Object] what the caller gets
      # @return [Boolean] whether somebody waited for it
      def settle(value = nil)
        @cell.paid(self)
        !@reply.nil? && @reply.settle(value)
      end

      # @param error [Exception] what is raised in the caller
      # @return [Boolean] whether somebody waited for it
      def fail(error)
        @cell.paid(self)
        !@reply.nil? && @reply.fail(error)
      end
    end
  end
end
