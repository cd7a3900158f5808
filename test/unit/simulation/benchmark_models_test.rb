# frozen_string_literal: true

require "test_helper"
require_relative "../../../bench/simulation/model"

# The fixed versions of the planted bugs of bench/simulation/ run on real threads.
class SimulationBenchmarkModelsTest < Raffia::TestCase
  MODELS = SimulationBench.load_models

  def test_there_are_enough_of_them
    assert_operator MODELS.size, :>=, 50
    assert_operator MODELS.values.count { |model| model.source.match?(/#\d|\h{7}/) }, :>=, 25
  end

  MODELS.each_value do |model|
    next unless model.stress

    define_method(:"test_#{model.name}_is_fixed") { assert_nil violation(model) }
  end

  private

  def violation(model)
    model.fixed.call(nil)
    nil
  rescue SimulationBench::Violation => error
    error
  end
end
