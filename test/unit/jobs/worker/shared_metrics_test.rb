# frozen_string_literal: true

require "support/jobs_case"

class JobsWorkerSharedMetricsTest < TestSupport::JobsCase
  NONE = {processed: 0, failed: 0, retried: 0, dead: 0, microseconds: 0,
          histogram: Array.new(Raffia::Jobs::Worker::SharedMetrics::BUCKETS, 0)}.freeze

  def test_counters_outlive_a_worker_and_gauges_do_not
    board = Array.new(Worker::SharedMetrics::SIZE, 0)
    Worker::SharedMetrics.new(board, 5).write({**NONE, processed: 3}, 2)
    Worker::SharedMetrics.new(board, 7).write({**NONE, processed: 1}, 1)
    assert_equal([4, 1, 7], read(board, [Process.pid]))
    assert_equal([4, 0, 0], read(board, []))
  end

  def test_totals_are_written_once
    metrics = Worker::SharedMetrics.new(nil, 1)
    2.times { metrics.write({**NONE, processed: 3}, 0) }
    assert_equal([3, 0, 1], read(metrics.board, [Process.pid]))
  end

  def test_isolated_workers_count_as_part_of_their_parent
    isolated = Worker::SharedMetrics.new(nil, 1)
    isolated.write({**NONE, processed: 2}, 1)
    metrics = Worker::SharedMetrics.new(nil, 1)
    metrics.write(NONE, 1, [isolated.board])
    assert_equal([2, 2, 1], read(metrics.board, [Process.pid]))
  end

  private

  def read(board, pids)
    Worker::SharedMetrics.read([board], pids).values_at(:processed, :busy, :concurrency)
  end
end
