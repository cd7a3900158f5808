# frozen_string_literal: true

require "test_helper"
require "raffia/charts"

# Charts as SVG text: elements, positions, and texts for screen readers.
class ChartsTest < Raffia::TestCase
  include Raffia::Charts

  def test_ticks_are_round_numbers
    {[0.36] => %w[0 0.1 0.2 0.3], [2.0] => %w[0 0.5 1 1.5 2], [87.3] => %w[0 20 40 60 80],
     [54_680] => %w[0 20,000 40,000], [1.1, 1.0] => %w[0 0.25 0.5 0.75 1],
     [4_200_000] => %w[0 1M 2M 3M 4M], [0] => ["0"]}.each do |values, labels|
      axis = Axis.new(values)
      shown = axis.ticks.map { |tick| axis.label(tick) }
      assert_equal labels, shown.first(labels.size), values.inspect
      assert axis.ticks.all? { |tick| axis.share(tick).between?(0, 1) }, values.inspect
    end
  end

  def test_ticks_are_round_in_the_shown_unit
    axis = Axis.new([0.0873], factor: 1_000)
    assert_equal(%w[0 20 40 60 80], axis.ticks.map { |tick| axis.label(tick) })
  end

  def test_counts_have_no_ticks_between_them
    {[0] => %w[0 1], [1] => %w[0 1], [3] => %w[0 1 2 3]}.each do |values, labels|
      axis = Axis.new(values, whole: true)
      assert_equal labels, axis.ticks.map { |tick| axis.label(tick) }, values.inspect
    end
  end

  def test_an_area_chart_has_a_line_for_each_series_and_a_title_for_each_position
    svg = AreaChart.new("Jobs <a minute>", {"Done" => [0, 5, 10], "Failed" => [0, 1, 0]},
      names: %w[10:00 10:01 10:02], marks: {0 => "10:00", 2 => "10:02"}, whole: true).to_s
    assert_includes svg, 'aria-label="Jobs &lt;a minute&gt;"'
    assert_equal [%w[0,1000 1,519 2,38], %w[0,1000 1,904 2,1000]],
      svg.scan(/<polyline class="line s\d" points="([^"]*)"/).map { |(points)| points.split }
    assert_equal ["10:00: Done 0, Failed 0", "10:01: Done 5, Failed 1", "10:02: Done 10, Failed 0"],
      svg.scan(%r{<title>(.*?)</title>}).flatten
    assert_equal %w[start end], svg.scan(/text-anchor="(start|end)">10:0/).flatten
  end

  def test_a_column_chart_draws_no_column_for_zero
    svg = ColumnChart.new("Jobs", {"Done" => [3, 0, 1], "Failed" => [1, 0, 0]}, names: %w[a b c])
      .to_s
    assert_equal({"s0" => 2, "s1" => 1}, svg.scan(/class="column (s\d)"/).flatten.tally)
    assert_equal 3, svg.scan('class="pointer"').size
  end

  def test_equal_values_give_equal_text
    chart = -> { AreaChart.new("x", {"A" => [1.0, 2.5]}, names: %w[1 2]).to_s }
    assert_equal chart.call, chart.call
  end

  def test_a_sparkline_of_zeros_is_at_the_bottom
    assert_includes SVG.sparkline([0, 0]), 'points="0,20 2,20"'
  end
end
