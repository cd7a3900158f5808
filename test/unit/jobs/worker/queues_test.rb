# frozen_string_literal: true

require "support/jobs_case"

class JobsWorkerQueuesTest < TestSupport::JobsCase
  Queues = Worker::Queues

  def test_queues_in_their_order
    assert_equal %w[a b], Queues.new(%w[a b]).order
    assert_equal "a b", Queues.new(%w[a b]).to_s
    assert_equal %w[default], Queues.new([]).order
    assert_equal %w[a], Queues.new("a,3").order
  end

  def test_queues_by_weight
    queues = Queues.new(%w[a,9 b])
    assert_equal({"a" => 9, "b" => 1}, queues.weights)
    first = Array.new(1000) { queues.order.first }.tally
    assert_operator first["a"], :>, first["b"] * 3
    assert_equal %w[a b], queues.order.sort
  end
end
