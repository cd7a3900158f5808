# frozen_string_literal: true

require "test_helper"
require "raffia/process"
require "raffia/process/recycle_policy"

class RecyclePolicyTest < Raffia::TestCase
  Policy = Raffia::Process::RecyclePolicy

  def test_without_limits_a_worker_stays
    assert_predicate(Policy.new, :unlimited?)
    assert_nil(Policy.new.track(::Process.pid).reason(1_000_000, age: 1e9, size: 1 << 60))
  end

  def test_a_count_is_not_exceeded_but_by_a_single_piece_of_work
    usage = Policy.new(max_count: 10).track(::Process.pid)
    assert_nil(usage.reason(50))
    usage.add(8)
    assert_nil(usage.reason(2))
    assert_equal("8 done, the limit is 10", usage.reason(3))
  end

  def test_a_count_that_is_reached_is_told_once
    reached = 0
    usage = Policy.new(max_count: 3).track(::Process.pid) { reached += 1 }
    2.times { usage.count }
    assert_equal(0, reached)
    3.times { usage.count }
    assert_equal(1, reached)
  end

  def test_jitter_raises_counts_and_lowers_ages
    policy = Policy.new(max_count: 100, max_age: 100, jitter: 0.1)
    counts = Array.new(200) do
      reached = nil
      usage = policy.track(::Process.pid) { reached = true }
      (1..).find { usage.count || reached }
    end
    assert_includes(100..110, counts.min)
    assert_includes(100..110, counts.max)
    refute_equal(counts.min, counts.max)
    usage = policy.track(::Process.pid)
    assert_nil(usage.reason(0, age: 89))
    assert_equal("100 s old", usage.reason(0, age: 100))
  end

  def test_sizes
    usage = Policy.new(max_memory: 100).track(::Process.pid)
    assert_nil(usage.reason(size: 100))
    assert_equal("101 bytes (PSS), the limit is 100", usage.reason(size: 101))
    assert_match(/bytes \(PSS\)/, usage.reason) if Raffia::Process::Memory.of
    assert_nil(Policy.new(max_memory: 1 << 40, memory: :growth).track(::Process.pid).reason)
  end
end
