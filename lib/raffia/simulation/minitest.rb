# frozen_string_literal: true

require_relative "../base/optional"
require_relative "../simulation"
require_relative "test_failure"
require_relative "test_selection"
require_relative "test_variables"

Raffia::Optional.gem("minitest", for: "raffia/simulation/minitest")

module Raffia
  module Simulation
    # Simulations in tests of Minitest and of ActiveSupport::TestCase.
    #
    #     require "raffia/simulation/minitest"
    #
    #     class StockTest < Minitest::Test
    #       include Raffia::Simulation::Minitest
    #
    #       simulate "two buyers, one item", runs: 200 do
    #         stock = Stock.new(1)
    #         2.times.map { Thread.new { stock.buy } }.each(&:join)
    #         assert_equal 0, stock.count
    #       end
    #     end
    #
    # A failed assertion in any run fails the test; `skip` skips it. The assertions of one run are
    # counted. Instance variables that a run sets do not reach the next one.
    module Minitest
      # Methods of test classes.
      module ClassMethods
        # Defines a test whose block is simulated many times.
        # @param name [String]
        # @param options [Hash] as {Minitest#simulate} takes them
        # @yieldparam sim [Handle]
        # @return [Symbol] the test method
        # @raise [ConfigError] there is one with this name
        def simulate(name, **options, &block)
          test = :"test_#{name.gsub(/\s+/, "_")}"
          raise ConfigError, "#{self} has a test #{test} already" if method_defined?(test)
          raise ConfigError, "the simulation #{name.inspect} needs a block" unless block

          define_method(test) do
            simulate(**options) { |sim| instance_exec(sim, &block) }
          end
        end
      end

      # @api private
      def self.included(base)
        base.extend(ClassMethods)
      end

      # Runs the block many times, each time with other choices, and fails the test with the first
      # run that fails.
      # @param runs [Integer]
      # @param options [Hash] as {Simulation.explore} takes them
      # @yieldparam sim [Handle]
      # @return [Report]
      # @raise [Minitest::Assertion] an assertion of a run failed
      # @raise [Minitest::Skip] a run called `skip`
      # @raise [Failed] a run raised, or the simulation found something
      def simulate(runs: 200, **options, &)
        CoreMethods::TravelMethods.undo(self) do |start|
          simulate_from(start, runs: runs, **options, &)
        end
      end

      private

      def simulate_from(start, runs:, **options)
        options[:start] ||= start if start
        before = assertions
        variables = TestVariables.new(self, except: %i[@assertions @failures @NAME @time])
        skipped = nil
        report = Simulation.explore(runs: runs, name: "#{self.class}##{name}",
          progress: ->(_) { raise skipped if skipped }, **options) do |sim|
          variables.reset
          self.assertions = before
          yield sim
        rescue ::Minitest::Skip => skip
          skipped = skip
        end
        variables.reset
        raise skipped if skipped
        return report if report.success?

        raise TestFailure.new(report.failure, "-n #{name}").error(::Minitest::Assertion)
      rescue Interrupted => interrupted
        warn TestFailure.new(interrupted.failure, "-n #{name}").text # Minitest shows no message
        raise
      end

      TestSelection.load&.select_minitest
    end
  end
end
