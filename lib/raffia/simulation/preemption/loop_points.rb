# frozen_string_literal: true

require_relative "../bytecode"

module Raffia
  module Simulation
    class Preemption
      # Points in `while` and `until` loops: CRuby looks for interrupts at each backward branch.
      #
      # A method is examined at its first call. When it has loops, a TracePoint of its own sees the
      # line that follows the branch. A loop without such a line, such as `until @done; end`, is not
      # seen: see {Bytecode::Branches#silent_loops}.
      # @api private
      class LoopPoints
        # @param files [Hash] whether a path is in scope
        # @yield at each point
        def initialize(files, &point)
          @files = files
          @point = point
          @bytecode = Bytecode.new
          @seen = ::Hash.new { |known, path| known[path] = {} }.compare_by_identity
          @watched = {}.compare_by_identity
          @traces = []
          @calls = ::TracePoint.new(:call) { |call| examine(call) if @files[call.path] }
        end

        # Sees the loops that the calling real thread runs.
        def start = @calls.enable(target_thread: ::Thread.real_current)

        def stop
          @calls.disable
          @traces.each(&:disable)
          @traces.clear
          @watched.clear
          @seen.clear
        end

        # Sees the loops of a method, or of a block, and of the blocks in it.
        # @param target [UnboundMethod, Proc]
        def watch(target)
          code = @bytecode.code(target)
          return if code.nil? || @watched.key?(code)
          @watched[code] = true
          lines = code.tree.flat_map(&:loop_lines).to_h { |line| [line, true] }
          return if lines.empty?
          trace = ::TracePoint.new(:line) { |line| @point.call if lines.key?(line.lineno) }
          trace.enable(target: code.iseq)
          @traces << trace
        end

        private

        def examine(call)
          lines = @seen[call.path]
          return if lines.key?(call.lineno)
          lines[call.lineno] = true
          watch(call.defined_class.instance_method(call.method_id))
        rescue ::NameError
          nil
        end
      end
    end
  end
end
