# frozen_string_literal: true

require_relative "../base/optional"
require_relative "../simulation"
require_relative "test_failure"
require_relative "test_selection"
require_relative "test_variables"

Raffia::Optional.gem("rspec-core", for: "raffia/simulation/rspec", feature: "rspec/core")
Raffia::Optional.gem("rspec-expectations", for: "raffia/simulation/rspec",
  feature: "rspec/expectations")

module Raffia
  module Simulation
    # Simulations in examples of RSpec.
    #
    #     require "raffia/simulation/rspec"
    #
    #     RSpec.describe Stock do
    #       it "sells one item once", simulate: {runs: 200} do
    #         stock = Stock.new(1)
    #         2.times.map { Thread.new { stock.buy } }.each(&:join)
    #         expect(stock.count).to eq(0)
    #       end
    #     end
    #
    # With the metadata, each run is the whole example: its hooks, its `let`s and its block. With
    # {#simulate} it is the block alone, with new values of the `let`s.
    module RSpec
      # Runs the block many times, each time with other choices, and raises for the first run that
      # fails.
      # @param runs [Integer]
      # @param options [Hash] as {Simulation.explore} takes them
      # @yieldparam sim [Handle]
      # @return [Report]
      # @raise [RSpec::Expectations::ExpectationNotMetError] an expectation of a run was not met
      # @raise [Failed] a run raised, or the simulation found something
      def simulate(runs: 200, **options)
        variables = TestVariables.new(self)
        example = ::RSpec.current_example
        RSpec.explore(example, runs: runs, **options) do |sim|
          variables.reset
          __init_memoized
          yield sim
        end
      ensure
        variables.reset
      end

      # @return [Handle] of the run, in an example with the metadata
      # @raise [Error] outside of one
      def simulation
        @__simulation or raise Error, "this example is not simulated: give it the metadata simulate"
      end

      class << self
        # @api private
        def explore(example, runs: 200, **options)
          data = ::RSpec::Support.thread_local_data.dup
          aggregates = data.delete(:failure_notifier)
          skipped = nil
          report = Simulation.explore(runs: runs, name: example.location,
            command: command(example), progress: ->(_) { raise skipped if skipped },
            **options) do |sim|
            ::RSpec::Support.thread_local_data.merge!(data)
            ::RSpec.current_example = example
            aggregates ? aggregate_failures { yield sim } : yield(sim)
          rescue ::RSpec::Core::Pending::SkipDeclaredInExample => skip
            skipped = skip
          rescue ::RSpec::Expectations::MultipleExpectationsNotMetError => several
            # its message cannot be replaced, and no line of its backtrace is the example's
            raise ::RSpec::Expectations::ExpectationNotMetError, several.message,
              several.all_exceptions.first.backtrace, cause: nil
          end
          raise skipped if skipped
          return report if report.success?

          raise TestFailure.new(report.failure, example.location_rerun_argument)
            .error(::RSpec::Expectations::ExpectationNotMetError)
        end

        # The body of the hook around examples with the metadata.
        # @api private
        def around(procsy, instance)
          example = procsy.example
          options = example.metadata[:simulate]
          variables = TestVariables.new(instance)
          explore(example, **(options.is_a?(::Hash) ? options : {})) do |sim|
            variables.reset
            instance.__send__(:__init_memoized)
            instance.instance_variable_set(:@__simulation, sim)
            run_once(procsy, example)
          end
          fixed(example) if example.pending?
        rescue ::RSpec::Core::Pending::SkipDeclaredInExample => skip
          example.execution_result.pending_exception = skip.argument
          example.execution_result.pending_fixed = false
        end

        private

        # RSpec keeps the error of an example for itself; here it belongs to the run. A skip, and
        # the expected failure of a pending example, end the exploration.
        def run_once(procsy, example)
          example.execution_result.pending_exception = nil
          procsy.run
          expected = example.execution_result.pending_exception
          if example.skipped? || expected
            raise ::RSpec::Core::Pending::SkipDeclaredInExample.new(expected)
          end

          error = example.exception
          example.instance_variable_set(:@exception, nil)
          raise error if error && !error.is_a?(::RSpec::Core::Pending::PendingExampleFixedError)
        end

        def fixed(example)
          raise ::RSpec::Core::Pending::PendingExampleFixedError, "no run failed",
            [example.location]
        end

        # Those of one run. The aggregation around the simulation would count those of all runs.
        def aggregate_failures(&)
          ::RSpec::Expectations::FailureAggregator.new(nil, {}).aggregate(&)
        end

        # In place of folders and files that the command names, which RSpec would run, too.
        def command(example)
          Failure::Instructions.bundled("rspec #{example.location_rerun_argument.shellescape}")
        end
      end

      ::RSpec.configure do |config|
        config.include(self)
        config.around(:each, :simulate) { |procsy| RSpec.around(procsy, self) }
        TestSelection.load&.select_rspec(config)
      end
    end
  end
end
