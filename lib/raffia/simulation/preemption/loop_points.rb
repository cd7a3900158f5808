# frozen_string_literal: true

require_relative "../bytecode"

module Raffia
  module Simulation
    class Preemption
      # Points in `while` and `until` loops: CRuby looks for interrupts at each backward branch.
      #
      # A method is examined at its first call. When it has loops, a TracePoint of its own sees the
      # line that follows the branch. A loop without such a line, such as `until @done; end`, is not
      # seen: see {Bytecode::Branches#silent_loops}. A file that is loaded again has new methods.
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
          @calls = ::TracePoint.new(:call, :script_compiled) do |event|
            if event.event == :call
              examine(event) if @files[event.path]
            elsif event.eval_script.nil?
              forget(event.instruction_sequence.path)
            end
          end
        end

        # Sees the loops that the calling real thread runs, from the first call of a run on: each
        # run, and a replay, must have the same points.
        def start
          @calls.enable(target_thread: ::Thread.real_current) unless @calls.enabled?
        end

        def stop
          @calls.disable
          @watched.each_value { |trace| trace&.disable }
          @watched.clear
          @seen.clear
        end

        # Sees the loops of a method, or of a block, and of the blocks in it.
        # @param target [UnboundMethod, Proc]
        def watch(target)
          code = @bytecode.code(target)
          return if code.nil? || @watched.key?(code.iseq)
          @watched[code.iseq] = nil
          lines = code.tree.flat_map(&:loop_lines).to_h { |line| [line, true] }
          return if lines.empty?
          trace = ::TracePoint.new(:line) { |line| @point.call if lines.key?(line.lineno) }
          trace.enable(target: code.iseq)
          @watched[code.iseq] = trace
        end

        private

        # The methods of a file are defined anew.
        def forget(path)
          return unless @seen.any? { |known, _| known == path }
          @seen.delete_if { |known, _| known == path }
          @watched.delete_if { |iseq, trace| (iseq.path == path).tap { |old| trace&.disable if old } }
          @bytecode = Bytecode.new
        end

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
