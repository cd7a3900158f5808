# frozen_string_literal: true

module Raffia
  class Actor
    # An answer that is given later, by any fiber or thread. See {Actor#answer_later}.
    class Answer
      # @api private
      def initialize(core, reply)
        @core = core
        @reply = reply
      end

      # @param value [Object] what the caller gets
      # @return [Boolean] whether somebody waited for it
      def settle(value = nil)
        @core.forget_deferred(self)
        !@reply.nil? && @reply.settle(value)
      end

      # @param error [Exception] raised in the caller
      # @return [Boolean] whether somebody waited for it
      def fail(error)
        @core.forget_deferred(self)
        !@reply.nil? && @reply.fail(error)
      end
    end
  end
end
