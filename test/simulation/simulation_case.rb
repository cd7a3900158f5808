# frozen_string_literal: true

require "test_helper"
require_relative "model"

module Simulations
  # Runs the models of a component's folder, each a fixed number of times with a fixed seed.
  class SimulationCase < Raffia::TestCase
    SEED = 16

    # @param folder [String] of test/simulation
    def self.models_of(folder)
      Simulations.load(folder).each_value do |model|
        define_method(:"test_#{model.name.gsub(/\W+/, "_")}") { explore(model) }
      end
    end

    private

    # Half of the runs on the older Ruby, which traces more and differs little.
    def explore(model)
      need_cruby("simulation")
      runs = model.runs
      runs = (runs / 2.0).ceil unless model.exhaustive || RUBY_VERSION >= "3.4"
      report = model.explore(runs:, seed: SEED)
      assert_predicate(report, :success?, "#{report.failure&.message}\n" \
        "#{report.failure&.error&.backtrace&.first(12)&.join("\n")}")
      return assert_equal(runs, report.runs) unless model.exhaustive

      assert_predicate(report, :exhausted?, "#{model.runs} runs are not all orders")
    end
  end
end
