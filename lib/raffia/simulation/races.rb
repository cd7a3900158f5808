# frozen_string_literal: true

require_relative "bytecode"
require_relative "bytecode/frame"
require_relative "bytecode/identities"
require_relative "races/access_history"
require_relative "races/attributes"
require_relative "races/data_race"
require_relative "races/order"
require_relative "races/synchronization"

module Raffia
  module Simulation
    # Finds data races in a run: variables that two threads use, at least one of them to write, with
    # nothing that orders the two and no lock that both hold.
    #
    # Variables are instance variables, class variables, globals, constants and locals that blocks
    # share. What C code does to an Array or Hash is not seen. A race is found when it is possible
    # in another order of the same steps; it need not have done harm in this run.
    # @api private
    class Races
      EVENTS = %i[line call b_call c_call return b_return c_return].freeze
      private_constant :EVENTS

      # @return [Array<DataRace>] in the order of the run, each pair of places once
      def found = @found.values

      # @param bytecode [Bytecode] serves all runs of an exploration
      # @param scope [#call] whether a path belongs to the code that is examined
      # @param points [#call] how many switch points a thread has passed
      # @yieldreturn [Object] the thread that runs
      def initialize(bytecode: Bytecode.new, scope: ->(_) { true }, points: ->(_) { 0 }, &running)
        @bytecode = bytecode
        @scope = Hash.new { |known, path| known[path] = scope.call(path) }
        @points = points
        @running = running
        @found = {}
        @ordering = Order.new
        @synchronization = Synchronization.new(@ordering)
        @attributes = Attributes.new
        @identities = Bytecode::Identities.new
        @histories = {}.compare_by_identity
        @frames = {}.compare_by_identity
        @trace = ::TracePoint.new(*EVENTS) { |trace| observe(trace) }
      end

      # Watches what the calling real thread executes, until {#stop}.
      def start = @trace.enable(target_thread: ::Thread.current)

      def stop = @trace.disable

      # A thread was made: all that its parent did comes before all that it does.
      def started(parent, child) = @ordering.acquire(child, @ordering.release(parent))

      # A thread has seen the end of another one.
      def joined(thread, ended) = @ordering.acquire(thread, @ordering.release(ended))

      # A thread ended the wait of another one.
      def woken(waker, thread) = @ordering.acquire(thread, @ordering.release(waker))

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
        else after(trace, thread, fiber)
        end
      end

      def line(trace, thread, fiber, frames)
        @synchronization.entered(thread, fiber)
        return unless @scope[trace.path]
        number = trace.lineno
        segments = @bytecode.codes_at(caller_locations(3, 1).first)
          .filter_map { |code| code.segments[number] }
        frames << Bytecode::Frame.new(@identities) if frames.empty?
        advance(frames.last, segments, trace, thread, fiber)
      end

      def enter(trace, thread, fiber, frames)
        lock = @synchronization.entered(thread, fiber)
        method = trace.method_id if trace.event == :call
        called(method, thread, fiber, frames)
        before(trace, thread, fiber) if method
        return unless @scope[trace.path]
        frames << (frame = Bytecode::Frame.new(@identities))
        frame.lock = lock
        segments = @bytecode.codes_at(caller_locations(3, 1).first).map(&:entry)
        advance(frame, segments, trace, thread, fiber)
      end

      def advance(frame, segments, trace, thread, fiber)
        frame.begin(segments, trace, "#{trace.path}:#{trace.lineno}") do |identity, write, place|
          access(identity, write, place, thread, fiber)
        end
      end

      def leave(trace, thread, fiber, frames)
        after(trace, thread, fiber) if trace.event == :return
        return unless @scope[trace.path]
        frame = frames.pop or return
        frame.finish { |*access| access(*access, thread, fiber) }
        @synchronization.leave(thread, fiber, frame.lock) if frame.lock
      end

      def call(trace, thread, fiber, frames)
        called(trace.method_id, thread, fiber, frames)
        before(trace, thread, fiber)
        return unless @scope[trace.path]
        name = @attributes.variable(trace.defined_class, trace.method_id) or return
        access(@identities.instance(trace.self, name), trace.method_id.end_with?("="),
          "#{trace.path}:#{trace.lineno}", thread, fiber)
      end

      def called(method, thread, fiber, frames)
        frames.last&.call(method) { |*access| access(*access, thread, fiber) }
      end

      def before(trace, thread, fiber)
        return unless Synchronization::METHODS.key?(trace.method_id)
        @synchronization.before(thread, fiber, trace.self, trace.method_id)
      end

      def after(trace, thread, fiber)
        return unless Synchronization::METHODS.key?(trace.method_id)
        @synchronization.after(thread, fiber, trace.self, trace.method_id)
      end

      def access(identity, write, place, thread, fiber)
        return if identity.constant?
        history = (@histories[identity] ||= AccessHistory.new(@ordering))
        history.add(thread, write, place, @synchronization.held(fiber), @points.call(thread))
          .each do |first, second|
            race = DataRace.new(identity.to_s, first, second)
            keep(race)
          end
      end

      # Of several races of the same two places, one that CRuby can have.
      def keep(race)
        known = @found[race.key]
        @found[race.key] = race if known.nil? || known.harmless_on_cruby?
      end
    end
  end
end
