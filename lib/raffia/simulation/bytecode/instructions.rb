# frozen_string_literal: true

module Raffia
  module Simulation
    class Bytecode
      # The instructions of one method or block, read from `RubyVM::InstructionSequence#to_a`. The
      # layout of that array is known here only; it is the same on Ruby 3.3 and 3.4.
      # @api private
      class Instructions
        MAGIC = "YARVInstructionSequence/SimpleDataFormat"
        BRANCHES = %i[branchif branchunless branchnil jump].freeze
        private_constant :MAGIC, :BRANCHES

        # A jump from instruction `from` to instruction `to`.
        Branch = Data.define(:from, :to) do
          def backward? = to <= from
        end

        # @return [Symbol] :method, :block, :rescue, :ensure ...
        attr_reader :type
        # @return [Array<Array>] each `[name, *operands]`
        attr_reader :list
        # @return [Array<Integer>] the line of each instruction
        attr_reader :lines
        # @return [Array<Symbol>] names of the locals
        attr_reader :locals
        # @return [Array<Symbol>] those of them that are parameters
        attr_reader :parameters
        # @return [Array<Instructions>] of blocks, rescues and ensures
        attr_reader :children

        # @param array [Array] from `to_a`
        def initialize(array)
          @type = array[9]
          @locals = array[10]
          @parameters = @locals.first(array[4][:arg_size])
          @list = []
          @lines = []
          @line_events = {}
          @labels = {}
          @children = []
          read(array[13])
          @catches = array[12].filter_map { |entry| catch_of(entry) }
        end

        def size = @list.size

        # @return [Boolean] whether locals of the code around it are visible here
        def nested? = %i[block rescue ensure eval plain].include?(@type)

        # @return [Boolean] whether a line event comes right before this instruction
        def line_event?(index) = @line_events.key?(index)

        # @return [Array<Integer>] indices of the instructions right after a line event
        def line_events = @line_events.keys

        # @return [Array<Integer>] where a taken branch at this instruction goes
        def targets(index)
          name, *operands = @list[index]
          case name
          when :branchif, :branchunless, :branchnil, :jump then [@labels[operands.first]]
          when :opt_case_dispatch
            [*operands.first.each_slice(2).map(&:last), operands.last].map { |name| @labels[name] }
          else []
          end
        end

        # @return [Array<Integer>] instructions that may come next in this frame
        def successors(index)
          following = targets(index)
          following << index + 1 if falls_through?(index)
          @catches.each { |range, to| following << to if range.cover?(index) && calls?(index) }
          following
        end

        # @return [Array<Branch>] where CRuby looks for interrupts when the branch is taken
        def branches
          @list.each_index.select { |index| BRANCHES.include?(@list[index].first) }
            .map { |index| Branch.new(index, targets(index).first) }
        end

        # @return [Boolean] whether it goes on to the next instruction
        def falls_through?(index)
          index + 1 < size && !%i[jump leave throw].include?(@list[index].first)
        end

        # @return [Boolean] whether it calls a method or block; operators count, as their method may
        #   be written in Ruby
        def calls?(index) = %i[send opt_send_without_block invokesuper invokeblock
          sendforward invokesuperforward throw].include?(@list[index].first)

        # @return [Symbol, nil] the method that this instruction calls, also by an operator
        def called(index)
          data = @list[index][1]
          data[:mid] if data.is_a?(Hash)
        end

        # Go from one instruction over all successors, on from those where the block says so.
        # @return [Hash{Integer => true}] the instructions that were reached
        def walk(first)
          seen = {}
          pending = [first]
          while (index = pending.pop)
            next if seen[index]
            seen[index] = true
            pending.concat(successors(index)) if yield(index)
          end
          seen
        end

        private

        def read(body)
          line = 0
          body.each do |element|
            case element
            when Integer then line = element
            when :RUBY_EVENT_LINE then @line_events[@list.size] = true
            when Symbol then @labels[element] = @list.size
            when Array then add(element, line)
            end
          end
        end

        def add(instruction, line)
          @list << instruction
          @lines << line
          instruction.each { |operand| nest(operand) }
        end

        def nest(array)
          @children << Instructions.new(array) if array.is_a?(Array) && array.first == MAGIC
        end

        # Where control goes on after a break, a rescue or an ensure.
        def catch_of((_, body, from, to, continuation, _))
          nest(body)
          target = @labels[continuation]
          [(@labels[from]...@labels[to]), target] if target && target < size
        end
      end
    end
  end
end
