# frozen_string_literal: true

module Raffia
  class Pool
    # Trims the backtrace of Ctrl-C to the program's own lines.
    #
    # @api private
    module InterruptBacktrace
      HOME = "#{File.dirname(__dir__, 2)}/".freeze
      private_constant :HOME

      def self.trim(interrupt)
        own = interrupt.backtrace&.reject { |frame| frame.start_with?(HOME, "<internal:") }
        interrupt.set_backtrace(own) unless own.nil? || own.empty? || interrupt.frozen?
        interrupt
      end
    end
  end
end
