# frozen_string_literal: true

require "test_helper"
require "raffia/pool"

class ChunkSizeTest < Raffia::TestCase
  def size(fixed = nil, target: 0.01) = Raffia::Pool::ChunkSize.new(fixed, target: target)

  def test_what_is_done_before_another_worker_is_woken
    sizer = Raffia::Pool::ChunkSize.new(nil, target: 0.01)
    refute(sizer.brief?(1), "nothing was measured")
    sizer.learn(100, 0.001)
    assert(sizer.brief?(2))
    refute(sizer.brief?(11))
    refute(Raffia::Pool::ChunkSize.new(1, target: 0.01).tap { |fixed| fixed.learn(1, 0.0) }
      .brief?(1))
  end

  def test_it_starts_with_single_items_and_grows_in_steps
    sizer = size
    assert_equal(1, sizer.now)
    grown = Array.new(6) do
      sizer.learn(sizer.now, sizer.now * 0.000_001)
      sizer.now
    end
    assert_equal([8, 64, 512, 4096, 10_000, 10_000], grown)
  end

  def test_slow_items_stay_single
    sizer = size
    sizer.learn(1, 60)
    assert_equal(1, sizer.now)
  end

  def test_it_shrinks_at_once_when_items_get_slow
    sizer = size
    4.times { sizer.learn(sizer.now, sizer.now * 0.000_001) }
    sizer.learn(sizer.now, sizer.now * 0.01)
    assert_operator(sizer.now, :<=, 2)
  end

  def test_a_fixed_size_and_no_target_do_not_learn
    [size(7), size(target: 0.0)].zip([7, 1]).each do |sizer, expected|
      sizer.learn(1, 0.000_001)
      assert_equal(expected, sizer.now)
    end
  end

  def test_items_that_take_no_time_at_all
    sizer = size
    sizer.learn(1, 0.0)
    assert_equal(8, sizer.now)
    sizer.learn(0, 0.0)
    assert_equal(8, sizer.now)
  end

  def test_short_work_is_handed_ahead_and_long_work_is_not
    sizer = size
    refute(sizer.send_ahead?(0.05))
    sizer.learn(1, 0.001)
    assert(sizer.send_ahead?(0.05))
    sizer.learn(1, 1.0)
    refute(sizer.send_ahead?(0.05))
  end
end
