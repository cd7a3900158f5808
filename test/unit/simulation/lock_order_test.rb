# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"
require "monitor"

class SimulationLockOrderTest < Raffia::TestCase
  Simulation = Raffia::Simulation

  def test_two_orders_without_a_deadlock
    [[Mutex, :synchronize], [Monitor, :synchronize], [Mutex, :lock], [Monitor, :enter]]
      .each do |type, way|
        first, second = type.new, type.new
        warnings = warnings_of { both(way, [first, second], [second, first]) }
        assert_equal 1, warnings.size, "#{type}##{way}"
        assert_match(/\Alock order: \S+lock_order_test.rb:\d+ takes a lock while it holds that of/,
          warnings.first)
        assert_empty warnings_of { both(way, [first, second], [first, second]) }
      end
  end

  def test_three_locks
    a, b, c = Array.new(3) { Mutex.new }
    refute_empty warnings_of { both(:synchronize, [a, b], [b, c], [c, a]) }
    assert_empty warnings_of { both(:synchronize, [a, b], [b, c], [a, c]) }
  end

  def test_a_lock_around_both_orders
    gate, a, b = Array.new(3) { Mutex.new }
    assert_empty(warnings_of {
      [[a, b], [b, a]].map { |locks|
        Thread.new { gate.synchronize { take(:synchronize, locks) } }
      }.each(&:join)
    })
  end

  def test_orders_of_one_thread_and_of_threads_one_after_the_other
    a, b = Mutex.new, Mutex.new
    assert_empty(warnings_of do
      take(:synchronize, [a, b])
      take(:synchronize, [b, a])
      Thread.new { take(:synchronize, [b, a]) }.join
      take(:synchronize, [a, b])
    end)
  end

  def test_locks_that_are_only_tried
    a, b = Mutex.new, Mutex.new
    assert_empty(warnings_of {
      [-> { take(:synchronize, [a, b]) }, -> { b.synchronize { a.try_lock && a.unlock } }]
        .map { |one| Thread.new(&one) }.each(&:join)
    })
  end

  def test_opt_out
    a, b = Mutex.new, Mutex.new
    assert_empty warnings_of(ignore: [:lock_order]) { both(:synchronize, [a, b], [b, a]) }
  end

  private

  def both(way, *orders)
    orders.map { |locks| Thread.new { take(way, locks) } }.each(&:join)
  end

  def take(way, locks)
    first, second = locks
    return first.synchronize { second.synchronize {} } if way == :synchronize

    first.send(way)
    second.send(way)
    [second, first].each { |lock| lock.is_a?(Monitor) ? lock.exit : lock.unlock }
  end

  # No thread is preempted, so there is no deadlock.
  def warnings_of(**options)
    report = Simulation.explore(runs: 8, seed: 1, preempt: :none, **options) { yield }
    assert_nil report.failure, report.failure&.message
    report.warnings
  end
end
