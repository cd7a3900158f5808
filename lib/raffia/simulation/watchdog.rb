# frozen_string_literal: true

require_relative "location"

module Raffia
  module Simulation
    # Ends a run that takes too much real time: an endless loop without a point of preemption, a
    # call of C that waits for real.
    #
    # @api private
    class Watchdog
      # Strikes the code that hangs; the run's failure is a {LimitReached}. No `rescue => error` may
      # take it.
      class Expiry < ::Exception # standard:disable Lint/InheritException
      end

      # Seconds between two looks, lines of a backtrace, and how often code is struck that rescues
      # even this.
      INTERVAL = 1.0
      LINES = 10
      STRIKES = 4
      private_constant :INTERVAL, :LINES, :STRIKES

      # Why the target had to be killed, or nil.
      attr_reader :error

      # +limit+: seconds for each run; nil: none.
      def initialize(limit)
        @limit = limit
        @world = nil
      end

      # Runs the block under watch of another thread. +target+: the real thread of the runs.
      def watch(target)
        return yield unless @limit

        thread = ::Thread.new { look(target) while ::Kernel.sleep([INTERVAL, @limit / 4.0].min) }
        yield
      ensure
        thread&.kill&.join
      end

      # Runs the block, a run of the world, in the target. Nil when that was ended.
      def during(world)
        ::Thread.handle_interrupt(Expiry => :never) do
          @since = now
          @strikes = 0
          @world = world
          interruptible { yield }
        ensure
          @world = nil
          interruptible { ::Thread.pass } if @strikes.positive? # one that came too late
        end
      end

      private

      def interruptible(&)
        ::Thread.handle_interrupt(Expiry => :immediate, &)
      rescue Expiry
        nil
      end

      # Again and again: the code may rescue it.
      def look(target)
        world = @world or return
        return if now - @since < @limit

        world.stop(limit_reached(target)) unless world.failure.is_a?(LimitReached)
        @strikes += 1
        return unless @world.equal?(world)
        return target.raise(Expiry, "the run has taken too long") if @strikes <= STRIKES

        @error = world.failure
        target.kill
      end

      def limit_reached(target)
        lines = Location.lines(target.backtrace, LINES).map { |line| "\n    at #{line}" }
        LimitReached.new("the run has taken more than #{@limit} s of real time (real_limit:). A " \
          "loop that calls no method cannot be preempted, and a call of C may wait for real. It " \
          "was:#{lines.join}")
      end

      def now = ::Process.clock_gettime(::Process::CLOCK_MONOTONIC)
    end
  end
end
