# frozen_string_literal: true

require_relative "location"

module Raffia
  module Simulation
    # The ConditionVariables of a run: who waits for which, and the last signal of each that found
    # no waiter.
    #
    # @api private
    class Conditions
      # `at`: nanoseconds; `places`: locations of the caller.
      Signal = Struct.new(:thread, :at, :places)
      DEPTH = 16
      private_constant :Signal, :DEPTH

      def initialize(world)
        @world = world
        @waits = {}.compare_by_identity # fiber => condition
        @lost = {}.compare_by_identity # condition => signal
        @suspects = {}.compare_by_identity # fiber => [condition, warning]
      end

      # The one that a fiber waits for, or nil.
      def awaited(fiber) = @waits[fiber]

      # The block waits for the condition; nil from it when the time was up.
      def wait(condition, timeout)
        fiber = ::Fiber.current
        @suspects.delete(fiber) if @suspects[fiber]&.first.equal?(condition)
        lost = @lost[condition]
        @waits[fiber] = condition
        woken = yield
        late = timeout && lost && woken.nil?
        late ? suspect(fiber, condition, timeout, lost) : @lost.delete(condition)
        woken
      ensure
        @waits.delete(fiber)
      end

      # It is signalled: called before that.
      def signalled(condition)
        return if @waits.any? { |_, other| other.equal?(condition) }

        @lost[condition] = Signal.new(@world.running.label, @world.clock.now,
          ::Kernel.caller_locations(1, DEPTH))
      end

      # For a deadlock: says that a signal came too early.
      def loss(condition)
        signal = @lost[condition] or return
        ". #{text(signal)}, when nothing waited for it: a lost wake-up"
      end

      # Waits that took their whole time after a signal had found no waiter, and after which the
      # thread went on: it had waited for something that was there.
      def warnings = @suspects.values.map(&:last)

      private

      def suspect(fiber, condition, timeout, lost)
        place = Location.lines(::Kernel.caller(1, DEPTH), 1).first
        @suspects[fiber] = [condition, "lost wake-up: a wait for a ConditionVariable took all of " \
          "its #{timeout} s at #{place}. #{text(lost)}, when nothing waited for it"]
      end

      def text(signal)
        place = Location.lines(signal.places.map(&:to_s), 1).first
        seconds = signal.at.fdiv(VirtualClock::SECOND)
        "#{signal.thread} had signalled it at #{seconds} s, at #{place}"
      end
    end
  end
end
