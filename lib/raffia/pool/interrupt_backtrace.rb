# frozen_string_literal: true

module Raffia
  class Pool
    # Ctrl-C is about the program: nobody wants to read where in here it struck.
    #
    # @api private
    module InterruptBacktrace
      HOME = "#{File.dirname(__dir__, 2)}/".freeze
      private_constant :HOME

      # @return [Interrupt] the same, with a backtrace that has only the program's own lines
      def self.trim(interrupt)
        own = interrupt.backtrace&.reject { |frame| frame.start_with?(HOME, "<internal:") }
        interrupt.set_backtrace(own) unless own.nil? || own.empty? || interrupt.frozen?
        interrupt
      end
    end
  end
end
