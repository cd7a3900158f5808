# frozen_string_literal: true

require_relative "branches"
require_relative "instructions"
require_relative "segments"

module Raffia
  module Simulation
    class Bytecode
      # Facts about one method, block, rescue or ensure.
      # @api private
      class Code
        # @return [RubyVM::InstructionSequence] a target that TracePoint takes
        attr_reader :iseq
        # @return [Code, nil] the code around it
        attr_accessor :parent
        protected :parent=
        # @return [Array<Code>] blocks, rescues and methods in it
        attr_reader :children

        # @param iseq [RubyVM::InstructionSequence]
        def initialize(iseq)
          @iseq = iseq
          @children = []
        end

        def adopt(child)
          child.parent = self
          @children << child
        end

        # @return [Array<Code>] this code and all in it
        def tree = [self, *@children.flat_map(&:tree)]

        # @return [Code] where TracePoint sees a call of its own: rescues and ensures belong to the
        #   method or block around them
        def called = (@called ||= (clause? && @parent) ? @parent.called : self)

        # @return [Boolean] whether it is a rescue or an ensure
        def clause? = %i[rescue ensure].include?(instructions.type)

        # @return [String]
        def path = @iseq.absolute_path || @iseq.path

        # @return [String] such as "block in push"
        def label = @iseq.label

        # @return [Array<Integer>] see Branches#loop_lines
        def loop_lines = @loop_lines ||= branches.loop_lines.freeze

        # @return [Array<Integer>] see Branches#silent_loops
        def silent_loops = @silent_loops ||= branches.silent_loops.freeze

        # @return [Array<Integer>] see Branches#branch_lines
        def branch_lines = @branch_lines ||= branches.branch_lines.freeze

        # @return [Segment] what runs between the call and the first line event
        def entry = @entry ||= cut.entry.tap { |segment| segment.code = self }

        # @return [Hash{Integer => Segment}] by the line of its event
        def segments
          @segments ||= cut.by_line.each_value { |segment| segment.code = self }
        end

        # @return [Array<Integer>] lines of its instructions, and the one where it is defined
        def lines = [@iseq.to_a[8], *instructions.lines].uniq

        # @return [Array<Variable>] all that the code reads, without the blocks in it
        def reads = @reads ||= touched(false)

        # @return [Array<Variable>] all that it writes
        def writes = @writes ||= touched(true)

        private

        def instructions = @instructions ||= Instructions.new(@iseq.to_a)

        def cut = Segments.new(instructions, Variables.new(instructions, @iseq))

        def branches = @branches ||= Branches.new(instructions)

        # Code without a line event, such as an empty block with defaults, has no segment.
        def touched(write)
          variables = Variables.new(instructions, @iseq)
          (0...instructions.size).filter_map { |index| variables.touched(index) }
            .select { |writes, _| writes == write }.flat_map(&:last).uniq
        end
      end
    end
  end
end
