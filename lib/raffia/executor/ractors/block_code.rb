# frozen_string_literal: true

module Raffia
  module Executor
    module Ractors
      # The use of variables, constants and methods in a block or method, as its compiled form shows
      # it. The code is read, never run.
      #
      # +own+ lines run under the block's self: its body with rescues and ensures. +all+ has the
      # lines of inner blocks too: they name the same constants, but instance_eval may change their
      # self.
      class BlockCode
        # A call on self (+own+), on a constant (+receiver+, its path), or on anything else.
        Call = Struct.new(:name, :own, :receiver)

        # Positions of the type, the rescues and the instructions in
        # RubyVM::InstructionSequence#to_a.
        TYPE, RESCUES, BODY = 9, 12, 13
        # Flag of a call without a written receiver.
        FCALL = 4
        # Flag of a block argument, which is one argument more.
        BLOCK_ARGUMENT = 2
        # Instructions that only push one value: the arguments between a constant and its call.
        PUSHES = %i[putnil putself putobject putobject_INT2FIX_0_ putobject_INT2FIX_1_ putstring
          putchilledstring duparray duphash
          getlocal getlocal_WC_0 getlocal_WC_1 getblockparamproxy getinstancevariable getglobal
          opt_getconstant_path].freeze

        # nil when it is not written in Ruby; empty where this Ruby does not show it.
        def self.of(callable)
          return new([]) unless defined?(::RubyVM::InstructionSequence)

          sequence = ::RubyVM::InstructionSequence.of(callable)
          new(sequence.to_a) if sequence
        end

        def initialize(sequence)
          @type = sequence[TYPE]
          @own = []
          @within = []
          read(sequence, @own) unless sequence.empty?
        end

        def block? = @type == :block

        # Instance variables of its self; with +written+ those that it assigns to.
        def variables(written: false)
          named(@own, written ? [:setinstancevariable] :
            %i[getinstancevariable setinstancevariable])
        end

        def own_calls = calls(@own).select(&:own).map(&:name).uniq
        def all_calls = calls(@own) + @within.flat_map { |lines| calls(lines) }

        # Paths; one that begins with an empty name begins at the top.
        def constants = named(all, [:opt_getconstant_path])
        def globals = named(all, %i[getglobal setglobal])
        def class_variables = named(all, %i[getclassvariable setclassvariable])

        private

        def all = @own + @within.flatten(1)

        def named(lines, instructions)
          lines.filter_map { |line| line[1] if instructions.include?(line.first) }.uniq
        end

        def read(sequence, lines)
          body = sequence[BODY].grep(Array)
          lines.concat(body)
          sequence[RESCUES].each { |entry| read(entry[1], lines) if entry[1] }
          body.each { |line| line.each { |operand| inner(operand) } }
        end

        # Blocks, but not the methods and classes that are defined within.
        def inner(operand)
          if sequence?(operand) && operand[TYPE] == :block
            read(operand, [].tap { |lines| @within << lines })
          end
        end

        def sequence?(operand)
          operand.is_a?(Array) && operand.first == "YARVInstructionSequence/SimpleDataFormat"
        end

        def calls(lines)
          lines.each_with_index.filter_map do |line, index|
            call = line[1]
            next unless call.is_a?(Hash) && call[:mid]

            own = (call[:flag] & FCALL).positive?
            Call.new(call[:mid], own, (receiver(lines, index, call) unless own))
          end
        end

        # The constant on which a method is called, when only plain arguments are between.
        def receiver(lines, index, call)
          first = index - call[:orig_argc] - (call[:flag] & BLOCK_ARGUMENT) / BLOCK_ARGUMENT
          return if first < 1 || !lines[first...index].all? { |line| PUSHES.include?(line.first) }

          lines[first - 1][1] if lines[first - 1].first == :opt_getconstant_path
        end
      end
    end
  end
end
