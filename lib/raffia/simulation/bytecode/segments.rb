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
        # @param instructions [Instructions]
        # @param variables [Variables]
        def initialize(instructions, variables)
          @instructions = instructions
          @variables = variables
        end

        # @return [Hash{Integer => Segment}] by the line of the event. What runs before the first
        #   event, such as defaults of parameters, counts to the lines that follow it.
        def by_line
          segments = Hash.new { |all, line| all[line] = Segment.new }
          before, after_entry = entry
          @instructions.line_events.each do |event|
            members = members(event)
            members = before + members if after_entry.include?(event)
            fill(segments[@instructions.lines[event]], members, event)
          end
          segments.default = nil
          segments
        end

        private

        # What runs before the first line event, and the events that follow it.
        def entry
          return [[], []] if @instructions.size.zero?
          @instructions.walk(0) { |index| !@instructions.line_event?(index) }.keys.sort
            .partition { |index| !@instructions.line_event?(index) }
        end

        def members(event)
          @instructions.walk(event) { |index| index == event || !@instructions.line_event?(index) }
            .keys.select { |index| index == event || !@instructions.line_event?(index) }.sort
        end

        def fill(segment, members, event)
          members.each do |index|
            segment.calls << @instructions.called(index) if @instructions.calls?(index)
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
