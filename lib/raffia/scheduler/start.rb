# frozen_string_literal: true

module Raffia
  class Scheduler
    # A fiber that has just started another one, and goes on when that one waits for the first time.
    #
    # @api private
    class Start
      # @return [Fiber]
      attr_reader :fiber

      def initialize(fiber)
        @fiber = fiber
      end
    end
  end
end
