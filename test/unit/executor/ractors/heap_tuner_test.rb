# frozen_string_literal: true

require "test_helper"
require "raffia/pool"

class HeapTunerTest < Raffia::TestCase
  Monitor = Raffia::Executor::Ractors::HeapTuner::Monitor

  def setup
    skip "needs the extension" unless Raffia::Native.respond_to?(:grow_heap)
  end

  # In a process of its own: where many slots are free, as towards the end of a long run, they are
  # filled and no new ones needed.
  def test_the_slots_of_the_size_in_question_grow_up_to_a_bound
    before, after, bound, most = output_of(<<~RUBY).split.map(&:to_i)
      require "raffia/pool"
      slots = -> { GC.stat_heap(1, :heap_eden_slots) }
      watch = Raffia::Executor::Ractors::HeapTuner::Monitor.new
      before = slots.call
      watch.send(:grow, 1)
      after = slots.call
      3.times { watch.send(:grow, 1) }
      most = Raffia::Executor::Ractors::HeapTuner::MAX_BYTES / GC.stat_heap(1, :slot_size)
      print [before, after, slots.call, most].join(" ")
    RUBY
    assert_operator(after, :>, before)
    assert_operator(bound, :<=, most + before)
  end

  def test_the_size_that_is_allocated_most_is_found
    watch = Monitor.new
    30_000.times { Array.new(18) }
    assert_equal(160, GC.stat_heap(watch.send(:busiest), :slot_size))
  end

  def test_collections_stay_on
    Raffia::Native.grow_heap(10, 3)
    Raffia::Native.finish_sweep
    refute(GC.disable)
  ensure
    GC.enable
  end

  def test_whoever_has_switched_collections_off_is_obeyed
    GC.disable
    assert_nil(Raffia::Native.grow_heap(10, 3))
    refute(Raffia::Native.finish_sweep)
    assert(GC.disable)
  ensure
    GC.enable
  end

  def test_what_is_made_fills_slots_of_that_size
    made = Raffia::Native.grow_heap(10, 3)
    assert_equal([[]] * 10, made)
    assert_raises(TypeError) { Raffia::Native.grow_heap("many", 3) }
  end

  def test_nobody_looks_when_the_last_has_left
    tuner = Raffia::Executor::Ractors::HeapTuner.new
    before = Thread.list
    2.times { tuner.enter }
    monitor = (Thread.list - before).first
    assert_equal("raffia heap", monitor.name) if monitor.name
    tuner.leave
    assert_predicate(monitor, :alive?)
    tuner.leave
    refute_predicate(monitor, :alive?)
    tuner.enter
    tuner.leave
    assert_empty(Thread.list - before)
  end

  # Sums of big numbers, as long as it takes until they were collected often enough to be noticed.
  # In a process of its own: a large heap has as many slots as are of use.
  def test_the_heap_grows_while_numbers_pile_up
    before, after = output_of(<<~RUBY).split.map(&:to_i)
      require "raffia/pool"
      slots = -> { GC.stat_heap(0, :heap_eden_slots) }
      tuner = Raffia::Executor::Ractors::HeapTuner.new
      before = slots.call
      tuner.enter
      give_up = Raffia::Clock.now + #{PATIENCE}
      total = 1 << 70
      100_000.times { total += 1 } until slots.call > before * 2 || Raffia::Clock.now > give_up
      tuner.leave
      print [before, slots.call].join(" ")
    RUBY
    assert_operator(after, :>, before * 2)
  end
end
