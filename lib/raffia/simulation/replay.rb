# frozen_string_literal: true

require_relative "program"
require_relative "failure"
require_relative "trace"

module Raffia
  module Simulation
    # Runs a program again with the choices of a schedule.
    #
    # @api private
    class Replay
      # +strict+: the program must take the recorded way at each choice.
      def initialize(program, schedule, strict: true, command: nil)
        @program = program
        @schedule = schedule
        @strict = strict
        @command = command
      end

      # Returns a Program::Run, whose error is Diverged if the schedule does not fit.
      def run(trace: nil)
        run = @program.replay(@schedule.seed, @schedule.choices, trace: trace,
          prints: (@schedule.prints if @strict))
        return run if !@strict || run.error.is_a?(Diverged) || complete?(run)

        run.with(error: Diverged.new("the run ended after choice #{run.choices.size} of " \
          "#{@schedule.choices.size} of its schedule, which was recorded with Ruby " \
          "#{@schedule.ruby}: the program, the Ruby or the options have changed"))
      end

      # Returns a Failure, or nil. Raises Diverged.
      def failure
        trace = Trace.new
        run = run(trace: trace)
        raise run.error if run.error.is_a?(Diverged)
        return unless run.failed?

        Failure.new(error: run.error, run: 1, seed: @schedule.seed, schedule: @schedule,
          preemptions: run.preemptions.size, trace: trace, faults: run.faults,
          command: @command)
      end

      private

      def complete?(run) = run.choices.size >= @schedule.choices.size
    end
  end
end
