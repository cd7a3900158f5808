# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"
require "raffia/jobs/store_state"

class JobsAutoscalingTest < Raffia::TestCase
  def state(queues: [], open: 0, workers: [0, 0, 0], minutes: [0, 0, 0])
    queues = queues.map do |name, size, latency, overdue, paused|
      {"name" => name, "size" => size, "latency" => latency, "overdue" => overdue || 0,
       "paused" => !!paused}
    end
    {"queues" => queues, "open" => open, "workers" => %w[processes slots busy].zip(workers).to_h,
     "minutes" => {"seconds" => 300, **%w[processed failed ms].zip(minutes).to_h}}
  end

  def scaling(settings = {}, **state) = Raffia::Jobs::Autoscaling.new(state(**state), **settings)

  def test_nothing_to_do_needs_no_worker
    assert_equal 0, scaling.desired_workers
    assert_equal 2, scaling({min: 2}).desired_workers
  end

  def test_one_waiting_or_overdue_job_or_open_rate_needs_one
    assert_equal 1, scaling(queues: [["a", 1, 3]]).desired_workers
    assert_equal 1, scaling(queues: [["a", 0, 0, 1]]).desired_workers
    assert_equal 1, scaling(open: 1).desired_workers
  end

  # 20 jobs a second of 0.5 s keep 10 slots busy, and 14.3 slots are needed for that.
  def test_steady_load
    load = {workers: [3, 15, 10], minutes: [6000, 0, 3_000_000]}
    assert_equal 3, scaling(**load).desired_workers
    assert_equal 2, scaling({slots: 10}, **load).desired_workers
  end

  # 1200 jobs of 0.5 s in 60 s keep 10 more slots busy.
  def test_a_backlog_needs_more
    load = {queues: [["a", 1200, 40]], workers: [3, 15, 15], minutes: [6000, 0, 3_000_000]}
    assert_equal 6, scaling(**load).desired_workers
    assert_equal 9, scaling({target: 30}, **load).desired_workers
    assert_equal 4, scaling({max: 4}, **load).desired_workers
    assert_equal [40.0, 1200, 400.0], scaling(**load).to_h
      .values_at("latency", "backlog", "backlog_per_worker")
  end

  def test_queues
    load = {queues: [["a", 5, 1], ["b", 7, 9], ["c", 100, 99, 0, true]]}
    assert_equal [12, 9.0], [scaling(**load).backlog, scaling(**load).latency]
    assert_equal [5, 1.0], [scaling({queues: ["a"]}, **load).backlog,
      scaling({queues: ["a"]}, **load).latency]
  end

  def test_settings_without_meaning
    [{target: 0}, {slots: 0}, {min: -1}, {min: 3, max: 2}].each do |settings|
      assert_raises(Raffia::ConfigError) { scaling(settings) }
    end
  end
end
