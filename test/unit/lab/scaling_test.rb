# frozen_string_literal: true

require "raffia/lab/scaling"
require_relative "outcome_case"

module Raffia
  module Lab
    class ScalingTest < OutcomeCase
      def test_a_series_for_each_variant_with_several_numbers_of_workers
        series = outcome[:scaling]
        assert_equal [["ractors", false], ["processes", false], ["plain_ractors", true],
          ["plain_processes", true]],
          series.map { |each| each.values_at(:variant, :control) }
        points = series[1][:points]
        assert_equal [[1, 1.0], [2, 2.0]], points.map { |point| point.values_at(:workers, :ideal) }
        assert_in_delta 4.0 / 2.05, points.last[:speedup][:value]
        assert_in_delta 4.0 / 2.05 / 2, points.last[:efficiency]
      end

      def test_more_workers_than_cores_help_only_those_that_wait
        rows = [1, 2, 4].map do |workers|
          {variant: "threads", workers:, median: 1.0, runs: [{seconds: 1.0}] * 3}
        end
        ideal = [true, false].map do |cpu_bound|
          scaling(rows, cpu_bound:).first[:points].map { |point| point[:ideal] }
        end
        assert_equal [[1.0, 2.0, 2.0], [1.0, 2.0, 4.0]], ideal
      end

      def test_without_a_baseline_a_series_is_compared_with_its_first
        rows = {2 => 3.0, 4 => 1.0}.map do |workers, seconds|
          {variant: "threads", workers:, median: seconds, runs: [{seconds:}] * 3}
        end
        series, = scaling(rows, cpu_bound: false)
        assert_equal ["threads", [1.0, 3.0], [1.0, 2.0]],
          [series[:against], series[:points].map { |point| point[:speedup][:value] },
            series[:points].map { |point| point[:ideal] }]
      end

      def test_each_ruby_has_a_series_and_a_baseline_of_its_own
        rows = {"3.3" => 2.0, "3.4" => 1.0}.flat_map do |ruby, factor|
          [{variant: "inline", workers: 1, ruby:, median: 4 * factor,
            runs: [{seconds: 4 * factor}] * 3}] +
            [1, 2].map { |workers|
              {variant: "threads", workers:, ruby:,
               median: factor * 4 / workers, runs: [{seconds: factor * 4 / workers}] * 3}
            }
        end
        assert_equal [["3.3", [1.0, 2.0]], ["3.4", [1.0, 2.0]]],
          scaling(rows, cpu_bound: true).map { |each|
            [each[:ruby],
              each[:points].map { |point| point[:speedup][:value] }]
          }
      end

      def test_one_number_of_workers_scales_nothing
        assert_empty outcome(seconds: SECONDS.select { |(_, workers), _| workers == 1 })[:scaling]
      end

      private

      def scaling(rows, cpu_bound:)
        Scaling.new(rows, metric: Metric::SECONDS, baseline: :inline, cores: 2, cpu_bound:).to_a
      end
    end
  end
end
