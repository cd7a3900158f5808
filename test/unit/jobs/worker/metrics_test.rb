# frozen_string_literal: true

require "support/jobs_case"

class JobsWorkerMetricsTest < TestSupport::JobsCase
  def test_metrics_since_the_last_heartbeat
    metrics = Worker::Metrics.new
    assert_nil metrics.take
    metrics.count("A", 0.01)
    metrics.count("A", 40.0)
    metrics.count("B", nil)
    tally = metrics.take
    assert_equal [3, 1], [tally.processed, tally.failed]
    assert_equal({"processed" => 2, "failed" => 0, "ms" => 40_010.0},
      tally.classes["A"].except("histogram"))
    assert_equal [0, 19], tally.classes["A"]["histogram"].each_index
      .select { |index| tally.classes["A"]["histogram"][index] == 1 }
    assert_nil metrics.take
    metrics.count("A", 0.01)
    metrics.put_back(tally)
    again = metrics.take
    assert_equal [4, 1, 3, 2], [again.processed, again.failed, again.classes["A"]["processed"],
      again.classes["A"]["histogram"].first]
  end
end
