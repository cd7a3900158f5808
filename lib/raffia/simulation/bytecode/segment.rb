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
        # @return [Array<Symbol>] instructions that touch the content of a collection or string
        #   without a call, also none that TracePoint shows
        attr_reader :operations

        # @return [Code] that it is a part of
        attr_accessor :code

        def initialize
          @accesses = []
          @calls = []
          @operations = []
        end

        # @return [Array<Variable>]
        def reads = @accesses.reject(&:write?).map(&:variable).uniq

        # @return [Array<Variable>]
        def writes = @accesses.select(&:write?).map(&:variable).uniq

        # @return [Array<Variable>] written behind a branch
        def uncertain_writes
          @uncertain_writes ||= @accesses.select { |access| access.write? && !access.certain? }
            .map(&:variable).uniq
        end

        # @return [Boolean] whether it touches locals that blocks share
        def locals? = @accesses.any? { |access| access.variable.kind == :local }

        # @return [Boolean] whether its uncertain writes are to such locals, too
        def uncertain_locals? = uncertain_writes.any? { |variable| variable.kind == :local }

        def empty? = @accesses.empty?
      end
    end
  end
end
