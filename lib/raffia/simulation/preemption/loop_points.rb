# frozen_string_literal: true

require_relative "../bytecode"

module Raffia
  module Simulation
    class Preemption
      # Points in `while` and `until` loops: CRuby looks for interrupts at each backward branch.
      #
      # The code of a method is examined when the method, or a block in it, is called. When it has
      # loops, a TracePoint of its own sees the line that follows the branch. A loop without such a
      # line, such as `until @done; end`, is not seen: see {Bytecode::Branches#silent_loops}. A file
      # that is loaded again has new methods.
      #
      # Each run, and a replay, must have the same points, so the loops of a run depend on nothing
      # but the run: TracePoints stay for the next one, which begins without loops of its own.
      # @api private
      class LoopPoints
        # Methods and blocks that are remembered at a time: runs may define some of their own.
        CODES = 5_000
        private_constant :CODES

        # @param files [Hash] whether a path is in scope
        # @yield at each point
        def initialize(files, &point)
          @files = files
          @point = point
          @codes = {}.compare_by_identity # instruction sequence => those in it with loops
          @traces = {}.compare_by_identity # instruction sequence => TracePoint
          @loops = {}.compare_by_identity # those of this run
          @seen = ::Hash.new { |known, path| known[path] = {} }.compare_by_identity
          @started = false
          @calls = ::TracePoint.new(:call, :b_call, :script_compiled) do |event|
            if event.event == :script_compiled
              forget(event.instruction_sequence.path) if event.eval_script.nil?
            elsif @started && @files[event.path]
              examine(event)
            end
          end
        end

        # A run begins with this block.
        def begin(program)
          stop if @codes.size > CODES
          @loops.clear
          @seen.clear
          @started = false
          start([]) unless Bytecode::FRAMES
          watch(program)
        end

        # Sees the loops that the calling real thread runs from now on. The fibers are those that
        # run or wait; the events of all calls would double the time of a program without threads.
        def start(fibers)
          @started = true
          @calls.enable(target_thread: ::Thread.real_current) unless @calls.enabled?
          fibers.each { |fiber| watch_frames(fiber.backtrace_locations || []) }
        end

        def stop
          @calls.disable
          @traces.each_value(&:disable)
          [@codes, @traces, @loops, @seen].each(&:clear)
        end

        # Sees the loops of a method, a block or a frame, and of the blocks in it.
        # @param target [UnboundMethod, Proc, Thread::Backtrace::Location]
        def watch(target)
          iseq = RubyVM::InstructionSequence.of(target) or return
          codes = @codes[iseq] ||= Bytecode.new.tree(iseq).reject { |code| code.loop_lines.empty? }
          return if codes.empty?

          codes.each do |code|
            @loops[code.iseq] = true
            @traces[code.iseq] ||= trace(code)
          end
        end

        private

        # A loop without a block: its events would cost more than the rest.
        def watch_frames(frames)
          index = 0
          while (frame = frames[index])
            watch(frame) if @files[frame.path]
            index += 1
          end
        end

        # Blocks in the code have lines and TracePoints of their own.
        def trace(code)
          lines = code.loop_lines.to_h { |line| [line, true] }
          iseq = code.iseq
          ::TracePoint.new(:line) { |line| @point.call if lines.key?(line.lineno) && @loops[iseq] }
            .tap { |trace| trace.enable(target: iseq) }
        end

        # The methods of a file are defined anew.
        def forget(path)
          @seen.delete_if { |known, _| known == path }
          @codes.delete_if { |iseq, _| iseq.path == path }
          @traces.delete_if { |iseq, trace| (iseq.path == path).tap { |old| trace.disable if old } }
        end

        # In a block, too, the method is that of the event; a block outside of all has none.
        def examine(call)
          lines = @seen[call.path]
          return if lines.key?(call.lineno)
          lines[call.lineno] = true
          name = call.method_id or return
          watch(call.defined_class.instance_method(name))
        rescue ::NameError
          nil
        end
      end
    end
  end
end
