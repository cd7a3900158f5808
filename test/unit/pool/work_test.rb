# frozen_string_literal: true

require "test_helper"
require "raffia/pool"

class PoolWorkTest < Raffia::TestCase
  Work = Raffia::Pool::Work

  # The cost per item of a call is the cost of its block.
  def test_the_loops_allocate_nothing_per_item
    {map: Work::NOTHING, each: Work::NOTHING, find: Work::NOTHING, reduce: 0, try_map: [IOError],
     try_each: [IOError], try_find: [IOError]}.each do |operation, seed|
      block = (operation == :reduce) ? ->(memo, _) { memo } : ->(_) {}
      plan = Raffia::Pool::Plan.new(operation, block, seed)
      few, many = Array.new(10, 1), Array.new(10_000, 1)
      allocated { Work.call(plan, few) }
      assert_operator(allocated { Work.call(plan, many) }, :<, 10, operation)
    end
  end

  def test_a_plan_without_a_limit_is_the_same
    plan = Raffia::Pool::Plan.new(:map, ->(n) { n }, Work::NOTHING)
    assert_same(plan, plan.within(nil))
    assert_equal([1, 2], Work.call(plan.within(10), [1, 2]).value)
  end

  def test_operations_that_try_again_say_what_failed
    plan = Raffia::Pool::Plan.new(:try_map, ->(n) { n.odd? ? raise(IOError, n.to_s) : n },
      [IOError])
    values, failures = *Work.call(plan, [0, 1, 2, 3]).value
    assert_equal([[0, nil, 2, nil], {1 => "1", 3 => "3"}],
      [values, failures.transform_values { |failure| failure.value.message }])
    failure = Work.call(plan.with(seed: [KeyError]), [0, 1, 2, 3]).failure
    assert_equal([:error, 1], [failure.kind, failure.position])
  end

  # Anything that can be made a block, and anything that can be called.
  def test_what_work_can_be
    callable = Object.new.tap { |object| object.define_singleton_method(:call) { |n| n + 3 } }
    {:succ => 2, 1.method(:+) => 2, proc { |n| n + 2 } => 3, callable => 4}.each do |work, value|
      assert_equal(value, Raffia::Pool.open(on: :inline,
        work: work) { |pool| pool.submit(1).value })
    end
  end

  private

  def allocated
    before = GC.stat(:total_allocated_objects)
    yield
    GC.stat(:total_allocated_objects) - before
  end
end
