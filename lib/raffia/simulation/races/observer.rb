# frozen_string_literal: true

require_relative "../bytecode/frame"
require_relative "../source_files"
require_relative "attributes"
require_relative "synchronization"

module Raffia
  module Simulation
    class Races
      # Follows what the threads of a run execute, and tells a {Races} which variables they use and
      # what orders them.
      #
      # Lines count in the files in scope; calls of Mutex, Queue and their like count everywhere.
      # @api private
      class Observer
        EVENTS = %i[line call b_call c_call return b_return c_return raise rescue].freeze
        private_constant :EVENTS

        # The parameters are those of {Races}.
        def initialize(races, bytecode:, scope:, point:, running:)
          @races = races
          @bytecode = bytecode
          # A file's paths are one String.
          @scope = Hash.new { |known, path| known[path] = scope.call(path) }.compare_by_identity
          @parts = Hash.new { |known, path| known[path] = SourceFiles.part(path) }
            .compare_by_identity
          @point = point
          @running = running
          @attributes = Attributes.new
          @frames = {}.compare_by_identity
          @raised = {}.compare_by_identity
          @trace = ::TracePoint.new(*EVENTS) do |trace|
            (part = @parts[trace.path]) ? own(trace, part) : observe(trace)
          end
        end

        # Watches what the calling real thread executes, for as long as the block runs.
        def watch
          @trace.enable(target_thread: ::Thread.current)
          yield
        ensure
          @trace.disable
        end

        private

        def observe(trace)
          thread = @running.call or return
          fiber = ::Fiber.current
          frames = (@frames[fiber] ||= [])
          case trace.event
          when :line then line(trace, thread, fiber, frames)
          when :call, :b_call then enter(trace, thread, fiber, frames)
          when :return, :b_return then leave(trace, thread, fiber, frames)
          when :c_call then call(trace, thread, fiber, frames)
          when :c_return then after(trace, thread, fiber)
          when :raise then @raised[fiber] = true
          else @raised.delete(fiber)
          end
          @races.pass_point if @point.call(trace)
        end

        # Threads are made, joined and woken by the simulation.
        def own(trace, part)
          event = trace.event
          return own_call(trace, event) if event == :c_call || event == :c_return
          return if event != :call && event != :return
          return unless part == :thread || part == :scheduler
          thread = @running.call or return
          (part == :thread) ? own_thread(trace, thread) : own_wake(trace, thread)
        end

        # Waits of core that the simulation has put a method of its own before.
        def own_call(trace, event)
          return unless Synchronization::METHODS.key?(trace.method_id)
          thread = @running.call or return
          fiber = ::Fiber.current
          (event == :c_call) ? before(trace, thread, fiber) : after(trace, thread, fiber)
        end

        def own_wake(trace, thread)
          return unless trace.event == :call && trace.method_id == :wake
          call = trace.binding
          return unless call.local_variable_get(:result) == :woken
          @races.ordered(thread, call.local_variable_get(:thread))
        end

        def own_thread(trace, thread)
          case trace.method_id
          when :initialize then start(thread, trace.self) if trace.event == :return
          when :join, :value
            return unless trace.event == :return
            @races.ordered(trace.self, thread) unless trace.self.alive?
          end
        end

        def line(trace, thread, fiber, frames)
          @races.synchronization.entered(thread, fiber)
          @raised.delete(fiber)
          return unless @scope[trace.path]
          number = trace.lineno
          segments = @bytecode.codes_at(caller_locations(3, 1).first)
            .filter_map { |code| code.segments[number] }
          frames << @races.activations.add(segments.first&.code, frames, thread) if frames.empty?
          advance(frames.last, segments, trace, thread, fiber)
        end

        def enter(trace, thread, fiber, frames)
          lock = @races.synchronization.entered(thread, fiber)
          method = trace.method_id if trace.event == :call
          called(method, thread, fiber, frames)
          before(trace, thread, fiber) if method
          return unless @scope[trace.path]
          codes = @bytecode.codes_at(caller_locations(3, 1).first)
          frames << (frame = @races.activations.add(codes.first, frames, thread))
          frame.lock = lock
          advance(frame, codes.map(&:entry), trace, thread, fiber)
        end

        def advance(frame, segments, trace, thread, fiber)
          frame.begin(segments, trace, "#{trace.path}:#{trace.lineno}") do |identity, write, place|
            @races.access(identity, write, place, thread, fiber)
          end
        end

        def leave(trace, thread, fiber, frames)
          after(trace, thread, fiber) if trace.event == :return
          return unless @scope[trace.path]
          frame = frames.pop or return
          # After an error, the rest of the line has not happened.
          frame.finish { |*access| @races.access(*access, thread, fiber) } unless @raised[fiber]
          @races.synchronization.leave(thread, fiber, frame.lock) if frame.lock
        end

        def call(trace, thread, fiber, frames)
          called(trace.method_id, thread, fiber, frames)
          before(trace, thread, fiber)
          return unless @scope[trace.path]
          name = @attributes.variable(trace.defined_class, trace.method_id) or return
          identity = @races.identities.instance(trace.self, name)
          @races.access(identity, trace.method_id.end_with?("="),
            "#{trace.path}:#{trace.lineno}", thread, fiber)
        end

        def called(method, thread, fiber, frames)
          frames.last&.call(method) { |*access| @races.access(*access, thread, fiber) }
        end

        def before(trace, thread, fiber)
          return unless Synchronization::METHODS.key?(trace.method_id)
          @races.synchronization.before(thread, fiber, trace.self, trace.method_id)
        end

        def after(trace, thread, fiber)
          return unless Synchronization::METHODS.key?(trace.method_id)
          @races.synchronization.after(thread, fiber, trace.self, trace.method_id)
        end

        def start(parent, child)
          @races.started(parent, child, @frames[::Fiber.current])
        end
      end
    end
  end
end
