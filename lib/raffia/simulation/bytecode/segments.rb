# frozen_string_literal: true

require_relative "access"
require_relative "segment"
require_relative "variables"

module Raffia
  module Simulation
    class Bytecode
      # Cuts code at its line events, and collects what each segment reads, writes and calls.
      # @api private
      class Segments
        CONTENT = %i[splatarray concatarray expandarray objtostring opt_aset_with opt_aref_with]
          .freeze
        private_constant :CONTENT

        # @param instructions [Instructions]
        # @param variables [Variables]
        def initialize(instructions, variables)
          @instructions = instructions
          @variables = variables
        end

        # @return [Segment] what runs before the first line event: defaults of parameters, and all
        #   of a method of the form `def m = ...`
        def entry
          return Segment.new if @instructions.size.zero? || @instructions.line_event?(0)
          Segment.new.tap { |segment| fill(segment, 0) }
        end

        # @return [Hash{Integer => Segment}] by the line of the event
        def by_line
          segments = Hash.new { |all, line| all[line] = Segment.new }
          @instructions.line_events.each do |event|
            fill(segments[@instructions.lines[event]], event)
          end
          segments.default = nil
          segments
        end

        private

        # Instructions from one to the next line events, in the order of the code.
        def members(start)
          @instructions.walk(start) { |index| index == start || !@instructions.line_event?(index) }
            .keys.select { |index| index == start || !@instructions.line_event?(index) }.sort
        end

        def fill(segment, event)
          members(event).each do |index|
            segment.calls << @instructions.called(index) if @instructions.calls?(index)
            segment.operations.concat(CONTENT & [@instructions.list[index].first])
            write, variables = @variables.touched(index)
            variables&.each do |variable|
              segment.accesses << Access.new(variable:, write:, calls: segment.calls.size,
                certain: certain?(event, index))
            end
          end
        end

        # No way from the event to another one, or to the end, goes around the instruction.
        def certain?(event, index)
          ends = @instructions.walk(event) do |at|
            at != index && (at == event || !@instructions.line_event?(at))
          end
          ends.none? { |at, _| at != index && ending?(at, event) }
        end

        def ending?(at, event)
          (at != event && @instructions.line_event?(at)) || @instructions.successors(at).empty?
        end
      end
    end
  end
end
