# frozen_string_literal: true

module Raffia
  module Simulation
    # Base of the errors of simulated runs.
    class Error < Raffia::Error
    end

    # Ctrl-C ended an exploration while it shrank a failure. The message is the failure's.
    class Interrupted < ::Interrupt
      # @return [Failure] with the schedule as it was found
      attr_reader :failure

      # @api private
      def initialize(failure)
        @failure = failure
        super(failure.message)
      end
    end

    # A run failed: {#cause} is the error of the program, or what the simulation found by itself
    # ({Deadlock}, {Livelock}, {Leak}, {Unjoined}).
    class Failed < Error
      # @return [Failure, nil] seed, schedule and timeline of the run; nil in a test framework,
      #   which wants errors that Marshal can dump
      attr_reader :failure

      # @param failure [Failure, String]
      def initialize(failure)
        @failure = failure unless failure.is_a?(::String)
        super(@failure ? @failure.message : failure)
      end
    end

    # No thread of the run can ever continue, and no timer is left.
    class Deadlock < Error
    end

    # The run makes no progress: too many steps at one instant.
    class Livelock < Error
    end

    # An invariant of the run did not hold: see {Handle#invariant}.
    class InvariantViolation < Error
    end

    # The run did not get where it must in time: see {Handle#eventually}.
    class LivenessViolation < Error
    end

    # Threads or fibers were left when the block of the run had ended.
    class Leak < Error
    end

    # A thread ended with an error that no `join` or `value` has raised.
    class Unjoined < Error
    end

    # Two threads used one variable, one of them to write, and nothing ordered the two.
    class DataRace < Error
    end

    # A schedule does not fit the program: the code, the Ruby or the options have changed.
    class Diverged < Error
    end

    # Two runs with the same seed took different ways.
    class Nondeterminism < Error
    end

    # The program used what the simulation does not control, such as a child process.
    class NotSimulated < Error
    end

    # The run reached a limit of steps, virtual time or real time. It has neither passed nor failed.
    class LimitReached < Error
    end
  end
end
