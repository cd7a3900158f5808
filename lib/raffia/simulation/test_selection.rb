# frozen_string_literal: true

require_relative "bytecode/instructions"
require_relative "preemption/scope"

module Raffia
  module Simulation
    # Finds the tests that simulate: with RAFFIA_SIM_TESTS=simulated only these run. `raffia
    # explore` sets it, because a repetition of the other tests finds nothing new.
    #
    # The code of a test tells: it calls `simulate` or `explore`, or names Raffia::Simulation, or
    # calls such a method of its class.
    #
    # @api private
    class TestSelection
      CALLS = %i[simulate explore].freeze
      private_constant :CALLS

      # Nil when all tests run.
      def self.load = (new if Config.load.tests == :simulated)

      def initialize
        @scope = Preemption::Scope.new(nil)
      end

      # Whether a method or block simulates. +owner+: the class whose methods it calls.
      def simulates?(code, owner, seen = {})
        iseq = ::RubyVM::InstructionSequence.of(code) or return false
        names = names(Bytecode::Instructions.new(iseq.to_a))
        names.intersect?(CALLS) || names.include?(:Simulation) || names.any? do |name|
          next if seen.key?(name)

          seen[name] = true
          method = helper(owner, name)
          method && simulates?(method, owner, seen)
        end
      end

      # Selects tests of Minitest, which has no filter that sees more than names. It is prepended
      # under `raffia explore` only.
      def select_minitest
        selection = self
        ::Minitest::Test.singleton_class.prepend(::Module.new do
          define_method(:runnable_methods) do
            super().select { |name| selection.simulates?(instance_method(name), self) }
          end
        end)
      end

      # Selects examples of RSpec.
      def select_rspec(config)
        config.filter_run_including(block: ->(block, metadata) do
          metadata[:simulate] || (block && simulates?(block, ::Object))
        end)
      end

      private

      # Methods that are called, and constants.
      def names(instructions)
        instructions.list.each_index.flat_map { |index| names_at(instructions, index) }
          .concat(instructions.children.flat_map { |child| names(child) })
      end

      def names_at(instructions, index)
        name, operand = instructions.list[index]
        case name
        when :opt_getconstant_path then operand
        when :getconstant then [operand]
        else [*instructions.called(index)]
        end
      end

      # Methods of the program, not of Ruby, gems and Raffia.
      def helper(owner, name)
        return unless owner.method_defined?(name) || owner.private_method_defined?(name)

        method = owner.instance_method(name)
        path, = method.source_location
        method if path && @scope.include?(path)
      end
    end
  end
end
