# frozen_string_literal: true

require "raffia/lab/report/page"
require_relative "outcome_case"

module Raffia
  module Lab
    # Scales, charts and the tables that belong to them.
    class ChartTest < OutcomeCase
      def test_one_unit_for_all
        quantity = Report::Quantity.of("s", [0.9, 1.2, nil])
        assert_equal ["0.900 s", "1.20 s", "-", "0.900 - 1.20 s"],
          [quantity.call(0.9), quantity.call(1.2), quantity.call(nil), quantity.range(0.9, 1.2)]
        assert_equal ["900 ms", "0.012 ms", "0"],
          Report::Quantity.of("s", [0.9])
            .then { |ms| [ms.call(0.9), ms.call(0.000012), ms.number(0)] }
        assert_equal ["1.50 GB", "12,345 req/s", "0.500 req/s", "-"],
          [Report::Quantity.of("bytes", [1.5 * (1 << 30)]).call(1.5 * (1 << 30)),
            Report::Quantity.of("requests/s", [12_345]).call(12_345),
            Report::Quantity.of("requests/s", [0.5]).call(0.5),
            Report::Quantity.of("requests/s", []).call(nil)]
      end

      def test_bars_have_intervals_runs_and_figures
        svg = Report::ExperimentCharts.figures(outcome).to_s
        assert_equal [10, 30], [svg.scan('class="bar').size, svg.scan('class="run"').size]
        assert_includes svg, ">2.05 s</text>"
        assert_includes svg, ">plain Ractor.new x2, control</text>"
        assert_equal 4, svg.scan('class="bar control"').size
        assert_includes svg, "> s</text>".sub("> ", ">4 ")
      end

      def test_noise_and_published_figures_can_be_told_without_colours
        svg = Report::ExperimentCharts.speedups(outcome).to_s
        assert_includes svg, ">1.00x, noise</text>"
        assert_includes svg, 'class="bar noise"'
        assert_equal 4, svg.scan('class="bar published"').size
      end

      def test_nothing_measured_is_no_chart
        nothing = outcome(seconds: {})
        assert_equal [nil] *
          3,
          %i[figures speedups memory].map { |name|
            Report::ExperimentCharts.public_send(name, nothing)
          }
        assert_empty Report::RunColumns.of(nothing)
        assert_empty Report::ScalingColumns.of(nothing)
      end

      def test_the_curve_has_a_shape_for_each_line
        curve = Report::ExperimentCharts.scaling(outcome)
        assert_equal ["ideal", "ractors", "processes", "plain Ractor.new, control",
          "plain fork, control"], curve.legend("ideal").map(&:last)
        assert_equal 4, curve.legend("ideal").drop(1).map { |shape, _| shape[/d="[^"]+"/] }.uniq
          .size
        svg = curve.to_s
        assert_equal [8, 1], [svg.scan('class="point').size, svg.scan('class="ideal"').size]
      end

      def test_the_scaling_table
        columns = Report::ScalingColumns.of(outcome)
        assert_equal ["on", "1 worker", "2 workers"], columns.map(&:head)
        assert_equal ["ideal", "ractors", "processes", "plain Ractor.new", "plain fork"],
          columns.first.cells
        assert_equal ["2.00x", "1.60x  80%", "1.95x  98%", "1.60x  80%", "1.95x  98%"],
          columns.last.cells
      end

      def test_an_experiment_without_a_baseline
        none = {**outcome, baseline: ""}
        assert_empty Report::Columns.of(none).map(&:head).grep(/\Avs/)
        assert_includes Report::ScalingColumns.caption(none), "Speed-up against the fewest workers,"
      end

      def test_every_run_is_told
        columns = Report::RunColumns.of(outcome(threads: {error: "it fell over"}))
        assert_equal ["on", "run", "wall-clock", "CPU", "peak PSS", "processes", "threads",
          "result"], columns.map(&:head)
        cells = columns.map(&:cells).transpose
        assert_equal 30, cells.size
        assert_equal ["inline", "2", "4.10 s", "4.00 s", "20.0 MB", "1", "1", "right"], cells[1]
        assert_equal "it fell over", cells[3].last
      end

      def test_counters_have_columns_where_there_are_any
        assert_empty Report::Columns.of(outcome).map(&:head) & %w[cycles IPC]
        counted = outcome(processes: {cycles: 2_000_000_000, instructions: 3_000_000_000})
        columns = Report::Columns.of(counted).to_h { |column| [column.head, column.cells] }
        assert_equal [["2 G", "1.50"], ["-", "-"]],
          [[columns["cycles"][5], columns["IPC"][5]], [columns["cycles"][0], columns["IPC"][0]]]
        assert_includes Report::RunColumns.of(counted).map(&:head), "instructions"
      end
    end
  end
end
