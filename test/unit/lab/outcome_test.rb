# frozen_string_literal: true

require_relative "outcome_case"

module Raffia
  module Lab
    class OutcomeTest < OutcomeCase
      def test_a_row
        row = row(outcome, :processes, 2)
        assert_equal ["ok", false, 2.05, 2.0, 2.1],
          row.values_at(:status, :control, :median, :min, :max)
        assert_in_delta 4.0 / 2.05, row[:speedup][:value]
        refute row[:speedup][:noise]
        assert_in_delta 4.0 / 2.05 / 2, row[:efficiency]
        assert_equal [4.0, 20 * 1_048_576, 3], [row[:cpu], row[:pss], row[:runs].size]
      end

      def test_a_difference_inside_the_noise
        assert row(outcome, :threads, 2)[:speedup][:noise]
      end

      def test_the_baseline_is_not_compared_with_itself
        assert_nil row(outcome, :inline, 1)[:speedup]
      end

      def test_without_a_baseline_there_is_nothing_to_compare_with
        row = row(outcome(seconds: SECONDS.except([:inline, 1])), :processes, 2)
        assert_equal [2.05, nil, nil], row.values_at(:median, :speedup, :efficiency)
      end

      def test_published_figures_stand_beside_the_rows_that_they_belong_to
        assert_equal ["alone"], row(outcome, :inline, 1)[:published].map { |each| each[:label] }
        assert_empty row(outcome, :ractors, 2)[:published]
        assert_equal 6, outcome[:published].size
      end

      def test_goals
        assert_equal [[true, 1.0], [true, 1.0]],
          outcome[:goals].map { |goal| [goal[:met], goal[:value].round(2)] }
        missed = outcome(seconds: SECONDS.merge([:ractors, 2] => [2.8, 2.7, 2.9]))
        assert_equal [true, false], missed[:goals].map { |goal| goal[:met] }
        busy = outcome(seconds: SECONDS.merge([:processes, 2] => [3.5],
          [:plain_processes, 2] => [3.4]))
        assert_equal [true, true], busy[:goals].map { |goal| goal[:met] },
          "a busy machine slows the control, too"
        assert_equal [nil, true], outcome(seconds: SECONDS.except([:plain_processes, 2]))[:goals]
          .map { |goal| goal[:met] }
      end

      def test_the_check_of_the_results
        assert_equal true, outcome[:check]
        assert_equal false,
          outcome(threads: {checks: {"the sum equals the formula's" => false}})[:check]
        assert_nil outcome(seconds: {})[:check]
      end

      def test_one_wrong_run_of_several_is_enough
        list = rows
        list.instance_variable_get(:@results)[Cell.new("squares", :inline, 1)]
          .last[:checks] = {"the sum equals the formula's" => false}
        assert_equal [false], Outcome.of(list, finished: true)[:rows].first[:checks].values
      end

      def test_a_strategy_that_failed_fails_the_check_and_a_control_does_not
        failed = outcome(threads: {error: "WorkerDied: killed"})
        assert_equal ["failed", "WorkerDied: killed", nil],
          row(failed, :threads, 2).values_at(:status, :reason, :median)
        assert_equal false, failed[:check]
        assert_equal true, outcome(plain_ractors: {error: "ThreadError: no more"})[:check]
      end

      def test_what_was_not_run
        assert_equal "not run",
          row(outcome(seconds: SECONDS.except([:threads, 2])), :threads, 2)[:status]
        skipped = outcome(seconds: SECONDS.except([:threads, 2]),
          obstacles: {threads: "no threads here"})
        assert_equal ["skipped", "no threads here"],
          row(skipped, :threads, 2).values_at(:status, :reason)
      end

      def test_all_of_it_is_plain_data
        json = JSON.generate(outcome)
        assert_equal json, JSON.generate(JSON.parse(json))
      end
    end
  end
end
