# frozen_string_literal: true

module Raffia
  class Actor
    # Counts up, for any thread.
    #
    # @api private
    class IdSequence
      def initialize
        @lock = SpinLock.new
        @last = 0
      end

      def next = @lock.hold { @last += 1 }
    end
  end
end
