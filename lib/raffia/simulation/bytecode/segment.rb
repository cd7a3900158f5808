# frozen_string_literal: true

module Raffia
  module Simulation
    class Bytecode
      # The code that a frame executes after a line event, up to its next one.
      #
      # A line that has several events, or several ways on, has one segment with all of them.
      # @api private
      class Segment
        # @return [Array<Access>] in the order of the bytecode
        attr_reader :accesses
        # @return [Array<Symbol, nil>] methods that it calls; nil for blocks and `super`
        attr_reader :calls

        def initialize
          @accesses = []
          @calls = []
        end

        # @return [Array<Variable>]
        def reads = @accesses.reject(&:write?).map(&:variable).uniq

        # @return [Array<Variable>]
        def writes = @accesses.select(&:write?).map(&:variable).uniq

        def empty? = @accesses.empty?
      end
    end
  end
end
