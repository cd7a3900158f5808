# frozen_string_literal: true

module Raffia
  class Pool
    class Auto
      # Finds assignments of a block to variables outside of it, which are lost in another process.
      # It searches the compiled code of the block and its inner blocks, not the methods that it
      # calls. Changes without an assignment (an Array that it pushes to) cannot be seen.
      module AssignmentCheck
        MAGIC = "YARVInstructionSequence/SimpleDataFormat"
        TYPE = 9
        # Positions of the exception handlers, and of the code, in RubyVM::InstructionSequence#to_a.
        CODE = (12..13)
        # Code with local variables of its own, which runs at another time.
        APART = %i[method class top main eval].freeze
        ASSIGNMENTS = %i[setinstancevariable setglobal setclassvariable setconstant].freeze

        class << self
          # The first thing outside that it assigns to; nil when none is found.
          def of(block)
            return unless defined?(::RubyVM::InstructionSequence)

            code = ::RubyVM::InstructionSequence.of(block) or return
            found = search(code.to_a, 0)
            found.is_a?(Integer) ? "a variable outside of it" : found&.to_s
          end

          private

          def search(code, depth)
            code[CODE].each do |part|
              Array(part).each do |each|
                next unless each.is_a?(Array)

                found = (each.first.is_a?(Symbol) && assigned(each, depth)) || inner(each, depth)
                return found if found
              end
            end
            nil
          end

          def inner(instruction, depth)
            instruction.each do |operand|
              unless operand.is_a?(Array) && operand.first == MAGIC &&
                  !APART.include?(operand[TYPE])
                next
              end

              found = search(operand, depth + 1)
              return found if found
            end
            nil
          end

          # The name, or the number of a local variable, which has no name any more.
          def assigned(instruction, depth)
            name, first, second = instruction
            return first if ASSIGNMENTS.include?(name)

            level = case name
            when :setlocal then second
            when :setlocal_WC_0 then 0
            when :setlocal_WC_1 then 1
            end
            first if level && level > depth
          end
        end
      end
    end
  end
end
