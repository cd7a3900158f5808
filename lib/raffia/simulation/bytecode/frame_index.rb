# frozen_string_literal: true

module Raffia
  module Simulation
    class Bytecode
      # Finds the code that a frame executes. Ruby 3.4 answers itself; for 3.3, files are compiled
      # once more, and a frame is known by its file, label and line.
      # @api private
      class FrameIndex
        # @param bytecode [Bytecode]
        def initialize(bytecode)
          @bytecode = bytecode
          @files = {}
        end

        # @param location [Thread::Backtrace::Location]
        # @return [Array<Code>]
        def codes(location)
          code = @bytecode.code(location)
          code ? [code] : of_file(location.absolute_path)[[location.label, location.lineno]].to_a
        end

        private

        def of_file(path) = @files[path] ||= index(path)

        def index(path)
          return {} unless path && File.file?(path)
          codes = @bytecode.tree(RubyVM::InstructionSequence.compile_file(path))
          codes.each_with_object({}) do |code, index|
            code.lines.each { |line| (index[[code.label, line]] ||= []) << code }
          end
        end
      end
    end
  end
end
