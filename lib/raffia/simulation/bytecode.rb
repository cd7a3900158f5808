# frozen_string_literal: true

require_relative "bytecode/code"
require_relative "bytecode/frame_index"

module Raffia
  module Simulation
    # Analyses of CRuby's bytecode, made once for each instruction sequence: where loops can be
    # interrupted, and which variables the lines of a method or block read and write.
    # @api private
    class Bytecode
      # @return [Boolean] whether this Ruby shows its bytecode; JRuby and TruffleRuby do not
      def self.available?
        RUBY_ENGINE == "ruby" && RubyVM.const_defined?(:InstructionSequence)
      end

      # Whether a frame tells its code: since Ruby 3.4.
      FRAMES = available? && !RubyVM::InstructionSequence.of(caller_locations(0, 1).first).nil?

      def initialize
        @codes = {}.compare_by_identity
        @frames = FrameIndex.new(self)
      end

      # @param target [Method, UnboundMethod, Proc, RubyVM::InstructionSequence]
      # @return [Code, nil] nil when it is not written in Ruby
      def code(target)
        unless target.is_a?(RubyVM::InstructionSequence)
          target = RubyVM::InstructionSequence.of(target)
        end
        target && (@codes[target] || add(target))
      end

      # @param location [Thread::Backtrace::Location] of a frame
      # @return [Array<Code>] its code; several on Ruby 3.3 when blocks share a line, none when it
      #   is not written in Ruby or its file is not there
      def codes_at(location) = @frames.codes(location)

      # @return [Array<Code>] the code of the target and of all blocks, rescues and methods in it
      def tree(target)
        code = code(target)
        code ? code.tree : []
      end

      private

      def add(iseq)
        code = @codes[iseq] = Code.new(iseq)
        iseq.each_child { |child| code.adopt(code(child)) }
        code
      end
    end
  end
end
