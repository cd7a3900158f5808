# frozen_string_literal: true

module Raffia
  module Simulation
    # The thread variables of a simulated thread, and the locals of each of its fibers.
    #
    # @api private
    class ThreadLocals
      # Values by name, of the whole thread.
      attr_reader :variables

      def initialize
        @fibers = {}.compare_by_identity
        @variables = {}
      end

      # Values by name.
      def of_fiber(fiber) = @fibers[fiber] ||= {}

      # Assigns a value; nil removes the name.
      def self.assign(values, key, value)
        value.nil? ? values.delete(key.to_sym) : values[key.to_sym] = value
        value
      end
    end
  end
end
