# frozen_string_literal: true

require "test_helper"
require "raffia/simulation/races/order"
require "raffia/simulation/races/queue_order"
require "raffia/simulation/races/access_history"

class SimulationOrderTest < Raffia::TestCase
  Races = Raffia::Simulation::Races

  def setup
    @ordering = Races::Order.new
    @a = "a"
    @b = "b"
  end

  def test_nothing_orders_two_threads_at_first
    refute @ordering.before?(@a, @ordering.time(@a), @b)
    assert @ordering.before?(@a, @ordering.time(@a), @a)
  end

  def test_a_release_comes_before_the_acquire_that_takes_it
    time = @ordering.time(@a)
    @ordering.release_to(@a, lock = Object.new)
    refute @ordering.before?(@a, time, @b)
    @ordering.acquire_from(@b, lock)
    assert @ordering.before?(@a, time, @b)
    refute @ordering.before?(@a, @ordering.time(@a), @b), "after the release"
  end

  def test_order_is_transitive
    c = "c"
    time = @ordering.time(@a)
    @ordering.acquire(@b, @ordering.release(@a))
    @ordering.acquire(c, @ordering.release(@b))
    assert @ordering.before?(@a, time, c)
    refute @ordering.before?(c, @ordering.time(c), @a)
  end

  def test_a_queue_orders_each_push_before_its_pop_only
    queue = Races::QueueOrder.new(@ordering, nil)
    c = "c"
    first = @ordering.time(@a)
    queue.pushes(@a)
    second = @ordering.time(@b)
    queue.pushes(@b)
    queue.popped(c)
    assert @ordering.before?(@a, first, c)
    refute @ordering.before?(@b, second, c)
  end

  def test_a_sized_queue_orders_a_pop_before_the_push_that_takes_its_place
    queue = Races::QueueOrder.new(@ordering, 1)
    queue.pushes(@a)
    queue.pushed(@a)
    time = @ordering.time(@b)
    queue.popped(@b)
    refute @ordering.before?(@b, time, @a)
    queue.pushes(@a)
    queue.pushed(@a)
    assert @ordering.before?(@b, time, @a)
  end

  def test_history_finds_unordered_accesses_with_a_write
    assert_equal [], add(@a, write: false)
    assert_equal [], add(@b, write: false)
    assert_equal [[@a, @b]], add(@b, write: true), "b's own read is ordered"
    assert_equal [[@b, @a]], add(@a, write: false)
  end

  def test_history_respects_order_and_common_locks
    add(@a, write: true)
    @ordering.acquire(@b, @ordering.release(@a))
    assert_equal [], add(@b, write: true)
    @history = nil
    add(@a, write: true, locks: [:lock])
    assert_equal [], add("c", write: true, locks: [:lock, :other])
    assert_equal [["c", "d"]], add("d", write: true, locks: [])
  end

  def test_a_write_is_torn_from_its_read_by_a_switch_point
    add(@a, write: false, points: 3)
    add(@a, write: true, points: 3)
    refute history.add(@b, true, "x:1", [], 0).first.any?(&:torn)
    add("c", write: false, points: 4)
    assert_equal [false, true], history.add("c", true, "x:1", [], 5).first.map(&:torn)
  end

  private

  def history = @history ||= Races::AccessHistory.new(@ordering)

  def add(thread, write:, locks: [], points: 0)
    history.add(thread, write, "x:1", locks, points).map { |pair| pair.map(&:thread) }
  end
end
