# frozen_string_literal: true

module Celluloid
  module Internals
    # Tells whether the methods of a class use `Thread.current`. In the gem each actor has a thread
    # of its own: programs raise in it, wake it, and keep values in it. Here actors share the thread
    # of a loop, so such a class works on threads unless it says otherwise.
    #
    # It reads the compiled methods, where CRuby has them, once for each class.
    module ThreadUse
      CONSTANTS = %i[opt_getconstant_path getconstant].freeze
      SENDS = %i[opt_send_without_block send].freeze

      module_function

      def in?(klass)
        return false unless defined?(RubyVM::InstructionSequence)

        methods(klass).any? { |method| uses?(RubyVM::InstructionSequence.of(method)) }
      end

      # Methods of the class and its parents, without those of Celluloid and Ruby.
      def methods(klass)
        owners = klass.ancestors.take_while { |owner| owner != Object }
          .reject { |owner| owner.name&.start_with?("Celluloid") }
        owners.flat_map do |owner|
          [*owner.instance_methods(false), *owner.private_instance_methods(false)].map do |name|
            owner.instance_method(name)
          end
        end
      end

      def uses?(sequence) = sequence ? instructions?(sequence.to_a.last) : false

      def instructions?(list)
        steps = list.grep(Array)
        steps.each_cons(2).any? { |one, other| thread?(one) && current?(other) } ||
          steps.any? { |step| nested?(step) }
      end

      def thread?((name, path, *)) = CONSTANTS.include?(name) && Array(path).last == :Thread

      def current?((name, call, *))
        SENDS.include?(name) && call.is_a?(Hash) && call[:mid] == :current
      end

      # Blocks are sequences within an instruction.
      def nested?(step)
        step.any? do |part|
          part.is_a?(Array) && part.first == "YARVInstructionSequence/SimpleDataFormat" &&
            instructions?(part.last)
        end
      end

      private_class_method :methods, :uses?, :instructions?, :thread?, :current?, :nested?
    end
  end
end
