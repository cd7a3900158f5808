# frozen_string_literal: true

require "test_helper"
require "raffia"
require "raffia/server/observability/metrics/counters"
require "raffia/server/observability/metrics/totals"
require "raffia/service/open_metrics"

class ServerMetricsTest < Raffia::TestCase
  include Raffia::Server::Observability::Metrics

  Board = Raffia::Native::SharedCounters

  def setup = @board = Board.new(3 * Layout::SIZE)

  def counters(part = 0) = Counters.new(@board, part).open

  def totals(pids: [::Process.pid]) = Totals.new(@board, pids)

  def test_a_board_counts
    board = Board.new(3)
    assert_equal([0, 0, 0], board.to_a)
    board[1] = -5
    assert_equal([5, 12], [board.add(0, 5), board.add(0, 7)])
    board.raise_to(2, 9)
    board.raise_to(2, 8)
    assert_equal([[12, -5, 9], 12, 3], [board.to_a, board[0], board.size])
  end

  def test_a_board_refuses_invalid_positions
    board = Board.new(2)
    assert_raises(IndexError) { board[2] }
    assert_raises(IndexError) { board[-1] }
    assert_raises(IndexError) { board.finish(0, 0, 0, 200, 0, 0, 0) }
    assert_raises(TypeError) { board[0] = "1" }
    assert_raises(ArgumentError) { Board.new(0) }
    assert_raises(Errno::ENOMEM) { Board.new((1 << 61) + 1) }
    assert_raises(ArgumentError) { Board.allocate.size }
    assert_raises(ArgumentError) { board.send(:initialize, 5) }
    assert_raises(NoMethodError, TypeError) { board.dup }
  end

  def test_a_board_is_shared_with_children
    need_fork
    board = Board.new(1)
    pids = Array.new(4) { ::Process.fork { 10_000.times { board.add(0, 1) } && exit!(0) } }
    pids.each { |pid| ::Process.wait(pid) }
    assert_equal(40_000, board[0])
  end

  def test_counters_go_to_ractors
    need_ractors
    script = <<~RUBY
      require "raffia"
      require "raffia/server/observability/metrics/counters"
      size = Raffia::Server::Observability::Metrics::Layout::SIZE
      board = Raffia::Native::SharedCounters.new(size)
      counters = Raffia::Server::Observability::Metrics::Counters.new(board)
      raise "not shareable" unless Ractor.shareable?(counters)
      ractors = 4.times.map do
        Ractor.new(counters) do |one|
          1_000.times { one.finish(one.begin, 200, 1, 2, 3) && one.count(:shed) }
        end
      end
      ractors.each(&:take)
      puts board[0]
    RUBY
    assert_equal("4000\n", output_of(script))
  end

  def test_a_request_is_counted
    one = counters
    began = one.begin
    assert_equal(1, one.gauge(:in_flight))
    assert_operator(one.finish(began, 204, 150, 30, 40), :>=, 0)
    one.finish(one.begin, 503, -1, 10, 20)
    one.finish(one.begin, 0, -1, 10, 0)
    sums = totals
    assert_equal([3, 50, 60, 0], [sums.requests, sums.received, sums.sent, sums.gauge(:in_flight)])
    assert_equal({"1xx" => 0, "2xx" => 1, "3xx" => 0, "4xx" => 0, "5xx" => 1}, sums.classes)
    assert_equal([3, 1, 150 / 1e6, 0.00025],
      [sums.duration.count, sums.queued.count, sums.queued.sum, sums.queued.quantile(1)])
  end

  def test_other_counters
    one = counters
    one.count(:shed)
    one.count(:log_lines_lost, 5)
    one.refused(431)
    one.refused(418)
    sums = totals
    assert_equal([1, 5, 1, 1, 0], [sums.counted(:shed), sums.counted(:log_lines_lost),
      *sums.refusals.values_at("431", "other", "400")])
    assert_raises(KeyError) { one.count(:nonsense) }
  end

  def test_counts_outlive_workers_and_gauges_do_not
    first = counters
    first.begin
    first.count(:shed)
    first.change(:connections, 3)
    assert_equal([1, 0, 0], [totals(pids: []).counted(:shed), totals(pids: []).gauge(:connections),
      totals(pids: []).highest(:connections)])
    second = counters
    second.change(:connections, 1)
    second.count(:shed)
    assert_equal([2, 0, 1], [totals.counted(:shed), totals.gauge(:in_flight),
      totals.gauge(:connections)])
    assert_equal([1, nil], [totals.worker(::Process.pid)[:connections], totals.worker(1)])
  end

  def test_workers_add_up
    one, other = counters, counters(2)
    one.finish(one.begin, 200, 10, 1, 1)
    2.times { other.finish(other.begin, 200, 10_000_000_000, 1, 1) }
    assert_equal([3, 3, Float::INFINITY, 0.0001],
      [totals.requests, totals.queued.count, totals.queued.quantile(0.9),
        totals.queued.quantile(0.2)])
    assert_nil(Totals.new(Board.new(Layout::SIZE), []).duration.quantile(0.5))
  end

  def test_open_metrics
    text = Raffia::Service::OpenMetrics.new
    text.info("raffia", "What runs.", {version: "1"})
    text.counter("raffia_answers", "Answers, by \"class\"\nand more \\.",
      {{class: "2xx"} => 3, {class: "a\"\\\nb"} => 1})
    text.gauge("raffia_up_seconds", "Since the start.", 1.5, unit: "seconds")
    one = counters
    one.finish(one.begin, 200, 300, 1, 1)
    text.histogram("raffia_queue_seconds", "Waits.", totals.queued)
    lines = text.to_s.lines(chomp: true)
    assert_equal("# EOF", lines.last)
    assert_equal(['# HELP raffia_answers Answers, by \"class\"\nand more \\\\.',
      'raffia_answers_total{class="2xx"} 3', 'raffia_answers_total{class="a\"\\\\\nb"} 1'],
      lines.grep(/_answers/).drop(1))
    assert_equal(["# TYPE raffia_up_seconds gauge", "# UNIT raffia_up_seconds seconds",
      "# HELP raffia_up_seconds Since the start.", "raffia_up_seconds 1.5"], lines.grep(/_up_/))
    buckets = lines.grep(/_bucket/)
    assert_equal(['raffia_queue_seconds_bucket{le="0.00025"} 0',
      'raffia_queue_seconds_bucket{le="0.0005"} 1'], buckets[1, 2])
    assert_equal(['raffia_queue_seconds_bucket{le="+Inf"} 1', "raffia_queue_seconds_count 1",
      "raffia_queue_seconds_sum 0.0003"], lines.last(4).first(3))
  end
end
