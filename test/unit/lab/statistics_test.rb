# frozen_string_literal: true

require "test_helper"
require "raffia/lab/statistics"

module Raffia
  module Lab
    class StatisticsTest < TestCase
      def test_median_of_odd_and_even_counts
        assert_equal [3.0, 2.5], [Statistics.median([9, 1, 3]), Statistics.median([4, 1, 2, 3])]
      end

      def test_coefficient_of_variation
        assert_in_delta 0.1, Statistics.cv([9, 10, 11]), 1e-9
        assert_nil Statistics.cv([5])
        assert_nil Statistics.cv([-1, 1])
      end

      def test_summary
        summary = Statistics.summary([2.0, 1.0, 4.0, 3.0, 5.0])
        assert_equal [5, 3.0, 1.0, 5.0], [summary.count, summary.median, summary.min, summary.max]
        assert summary.low.between?(1.0, 3.0) && summary.high.between?(3.0, 5.0), summary.inspect
      end

      def test_the_same_runs_give_the_same_summary
        runs = [1.02, 1.3, 0.9, 1.1, 1.05]
        assert_equal Statistics.summary(runs), Statistics.summary(runs)
      end

      def test_a_difference_inside_the_spread_is_noise
        ratio = Statistics.ratio([1.0, 1.2, 0.9, 1.1, 1.05], [1.0, 1.1, 0.95, 1.2, 0.9])
        assert ratio.noise, ratio.inspect
      end

      def test_a_difference_outside_of_it_is_not
        ratio = Statistics.ratio([2.0, 2.1, 1.9, 2.05, 2.0], [1.0, 1.1, 0.95, 1.05, 1.0])
        refute ratio.noise, ratio.inspect
        assert_in_delta 2.0, ratio.value, 1e-9
        assert ratio.low > 1.5 && ratio.high < 2.5, ratio.inspect
      end

      def test_one_run_tells_nothing
        ratio = Statistics.ratio([2.0], [1.0, 1.0, 1.0])
        assert_equal [true, true], [ratio.noise, ratio.single]
        refute Statistics.ratio([2.0, 2.1], [1.0, 1.0]).single
      end

      def test_nothing_to_compare_with
        assert_nil Statistics.ratio([1.0], [])
        assert_nil Statistics.ratio([], [1.0])
        assert_nil Statistics.ratio([1.0], [0.0])
      end
    end
  end
end
