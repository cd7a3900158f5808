# frozen_string_literal: true

module Raffia
  class Actor
    class Supervisor
      # One child of a supervisor, across its starts: the parent of its core.
      #
      # @api private
      class Child
        # Seconds that a killed child has to end. Code that only computes is left to itself.
        KILL_TIMEOUT = 5
        private_constant :KILL_TIMEOUT

        attr_reader :spec
        attr_reader :supervisor
        attr_reader :core
        attr_reader :generation
        # Why it ended the last time that it failed.
        attr_reader :failure

        def initialize(spec, supervisor, dynamic: false)
          @spec = spec
          @supervisor = supervisor
          @dynamic = dynamic
          @lock = SpinLock.new
          @generation = @restarts_in_a_row = 0
          @leaving = false
        end

        def dynamic? = @dynamic

        def ref = @core&.ref

        def label = @core&.label || @spec.id.inspect

        # Whether it has no object, and will have none but by a new start.
        def dead? = @core.nil? || @core.status == :dead

        # Whether it waits for the supervisor's decision.
        def ended?(generation) = generation == @generation && !@core.nil? && @core.at_rest?

        # Whether its core, if a supervisor's, keeps its children for the next object.
        def keeps? = @leaving != :for_good

        def ended(core, reason)
          return unless @core.nil? || core.equal?(@core)

          waiter = @lock.hold do
            @failure = reason unless reason == :normal || reason == :shutdown
            next @waiter if @leaving
          end
          return waiter&.settle if @leaving

          @supervisor.urge(ControlMessage.new(@supervisor, :child_ended, self, @generation, reason))
        end

        def start_or_restart
          return start if dead?

          next_generation
          error = @core.restart and raise error
        end

        def start
          next_generation
          @core = @spec.spawn(self, @supervisor.group)
        end

        # Ends it. Its core is kept if it is to be restarted.
        def terminate(keep)
          cancel_timer
          @generation += 1
          return if dead?

          @lock.hold { @leaving = keep ? :for_now : :for_good }
          conclude(keep) || @core.abandon
        end

        def die(reason)
          cancel_timer
          @generation += 1
          @core&.die(reason)
        end

        def wait_before_restart(spec)
          @restarts_in_a_row = 0 if Clock.now - @started_at > [spec.period, spec.max_backoff].max
          spec.delay(@restarts_in_a_row).tap { @restarts_in_a_row += 1 }
        end

        def later(seconds, message)
          cancel_timer
          @timer = @supervisor.group.after(seconds) do
            @supervisor.urge(message)
            nil
          end
        end

        private

        def next_generation
          cancel_timer
          @generation += 1
          @started_at = Clock.now
          @lock.hold { @leaving = false }
        end

        def cancel_timer
          @timer&.cancel
          @timer = nil
        end

        def conclude(keep)
          seconds = @spec.shutdown
          unless seconds == :brutal_kill
            keep ? @core.suspend(:shutdown) : @core.stop(:shutdown, final: true)
            return true if ended_within?((seconds == :infinity) ? nil : seconds)
          end
          @core.kill(:killed, final: !keep)
          ended_within?(KILL_TIMEOUT)
        end

        def ended_within?(seconds)
          waiter = Waiter.new
          @lock.hold { @waiter = waiter }
          # An end from here on settles the waiter.
          @core.at_rest? || waiter.wait(seconds) != Waiter::TIMED_OUT
        end
      end
    end
  end
end
