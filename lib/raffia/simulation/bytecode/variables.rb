# frozen_string_literal: true

require_relative "variable"

module Raffia
  module Simulation
    class Bytecode
      # Tells which variables an instruction reads or writes.
      # @api private
      class Variables
        LOCALS = /\A([gs]et)(?:local|blockparam)/
        SIGILS = {"@@" => :class, "@" => :instance, "$" => :global}.freeze
        NAMED = /\A([gs]et)(?:instancevariable|classvariable|global|constant)\z/
        DISASSEMBLED = /^\d+ [gs]et(?:local|blockparam)\S*\s+(\S+)@\d/
        private_constant :LOCALS, :SIGILS, :NAMED, :DISASSEMBLED

        # @param instructions [Instructions]
        # @param iseq [RubyVM::InstructionSequence] the same, asked for names of outer locals
        def initialize(instructions, iseq)
          @instructions = instructions
          @iseq = iseq
          @captured = instructions.children.flat_map { |child| captures(child, 1) }.uniq
        end

        # @return [Array(Boolean, Array<Variable>), nil] whether it writes, and what
        def touched(index)
          name, operand = @instructions.list[index]
          case name
          when NAMED then [$1 == "set", [variable(operand)]]
          when :opt_getconstant_path then [false, path(operand)]
          when :definedivar then [false, [variable(operand)]]
          when :defined then defined(@instructions.list[index][2])
          when LOCALS then local($1 == "set", index)
          end
        end

        private

        def variable(name) = Variable.new(kind: kind(name), name:)

        def kind(name) = SIGILS.fetch(name[/\A(?:@@|@|\$)/], :constant)

        # `[:"", :A, :B]` is `::A::B`.
        def path(names) = (names - [:""]).map { |name| variable(name) }

        def defined(name)
          [false, [variable(name)]] if name.is_a?(Symbol) && name.match?(/\A(?:@|\$|[A-Z])/)
        end

        def local(write, index)
          slot, level = slot_and_level(@instructions.list[index])
          return unless level > 0 || @captured.include?(slot)
          name = local_names.fetch(index, :"?#{slot}")
          parameter = level.zero? && @instructions.parameters.include?(name)
          [write, [Variable.new(kind: :local, name:, level:, parameter:)]]
        end

        def slot_and_level((name, slot, level))
          level ||= name.end_with?("_WC_0") ? 0 : 1
          [slot, level]
        end

        # Slots of the locals that the code declares and that blocks in it use.
        def captures(instructions, depth)
          own = instructions.list.filter_map do |instruction|
            next unless instruction.first.match?(LOCALS)
            slot, level = slot_and_level(instruction)
            slot if level == depth
          end
          inner = instructions.children.select(&:nested?)
          own.concat(inner.flat_map { |child| captures(child, depth + 1) })
        end

        # Only the disassembly names locals of the code around a block.
        def local_names
          @local_names ||= begin
            text = @iseq.disasm.split("\n== disasm:", 2).first
            uses = @instructions.list.each_index.select do |index|
              @instructions.list[index].first.match?(LOCALS)
            end
            uses.zip(text.scan(DISASSEMBLED).flatten.map(&:to_sym)).to_h
          end
        end
      end
    end
  end
end
