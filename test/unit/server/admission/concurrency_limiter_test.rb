# frozen_string_literal: true

require "test_helper"
require "raffia"
require "raffia/server/admission/concurrency_limiter"
require "raffia/server/admission/queue_time"

class ServerGateTest < Raffia::TestCase
  Gate = Raffia::Server::Admission::ConcurrencyLimiter

  def test_nothing_to_decide_is_no_gate
    assert_nil(Gate.build)
  end

  def test_so_many_are_inside_and_the_others_follow_in_order
    order = []
    most = 0
    Raffia.run do |scope|
      gate = Gate.build(limit: 2)
      10.times do |number|
        scope.spawn do
          gate.enter
          order << number
          most = [most, gate.inside].max
          Raffia::Waiter.nap(0.001)
          gate.leave
        end
      end
      assert_equal([2, 8], [gate.inside, gate.waiting])
    end
    assert_equal([(0...10).to_a, 2], [order, most])
  end

  def test_one_that_comes_later_does_not_overtake_one_that_has_been_called
    order = []
    Raffia.run do |scope|
      gate = Gate.build(limit: 1)
      gate.enter
      scope.spawn { gate.enter.then { order << :first } }
      gate.leave # the first has been called, and did not run yet
      scope.spawn { gate.enter.then { order << :second } }
      wait_until { order.any? }
      assert_equal([[:first], 1, 1], [order, gate.inside, gate.waiting])
      gate.leave
    end
    assert_equal(%i[first second], order)
  end

  def test_one_that_gives_up_leaves_its_place_in_the_line_to_others
    Raffia.run do |scope|
      gate = Gate.build(limit: 1)
      gate.enter
      impatient = scope.spawn { gate.enter }
      patient = scope.spawn { gate.enter }
      impatient.cancel
      gate.leave
      patient.join
      assert_equal([1, 0], [gate.inside, gate.waiting])
    end
  end

  def test_one_that_is_cancelled_when_it_has_been_called_hands_its_place_on
    Raffia.run do |scope|
      gate = Gate.build(limit: 1)
      gate.enter
      called = scope.spawn { gate.enter.then { gate.leave } }
      other = scope.spawn { gate.enter }
      gate.leave
      called.cancel
      other.join
      assert_equal([1, 0], [gate.inside, gate.waiting])
    end
  end

  def test_a_request_that_has_waited_for_too_long_is_refused
    Raffia.run do |scope|
      gate = Gate.build(limit: 1, most: 0.01)
      gate.enter
      error = assert_raises(Gate::Busy) { gate.enter }
      assert_equal([1, 1, 0], [error.retry_after, gate.inside, gate.waiting])
      gate.leave
      assert_equal([3, 0], [assert_raises(Gate::Busy) { gate.enter(0.0, 2.5) }.retry_after,
        gate.inside])
      assert_equal(0.005, gate.enter(0.005))
    end
  end

  def test_the_shed_refuses_when_even_the_shortest_wait_of_an_interval_was_long
    shed = Raffia::Server::Admission::CoDel.new(0.1, interval: 1)
    refute(shed.refuse?(0.5, 10.0), "nothing is known yet")
    refute(shed.refuse?(0.9, 10.9))
    assert(shed.refuse?(0.9, 11.1), "all have waited for longer than the target")
    refute(shed.refuse?(0.15, 11.2), "who has waited for less than twice the target is let in")
    assert(shed.refuse?(0.25, 11.3))
  end

  def test_a_burst_is_not_refused
    shed = Raffia::Server::Admission::CoDel.new(0.1, interval: 1)
    refute(shed.refuse?(0.5, 10.0))
    refute(shed.refuse?(0.01, 10.5))
    refute(shed.refuse?(0.9, 11.1))
  end

  def test_the_first_short_wait_ends_it
    shed = Raffia::Server::Admission::CoDel.new(0.1, interval: 1)
    [10.0, 10.5, 11.1].each { |now| shed.refuse?(0.9, now) }
    assert_predicate(shed, :standing?)
    refute(shed.refuse?(0.05, 11.2))
    refute(shed.refuse?(0.9, 11.3))
  end

  def test_after_a_pause_the_past_is_forgotten
    shed = Raffia::Server::Admission::CoDel.new(0.1, interval: 1)
    [10.0, 10.5].each { |now| shed.refuse?(0.9, now) }
    refute(shed.refuse?(0.9, 100.0))
  end

  def test_x_request_start_in_all_units
    now = 1_761_000_000.5
    ["t=1761000000.000", "1761000000", "t=1761000000000", "t=1761000000000000",
      "1761000000000000000"].each do |header|
      assert_in_delta(0.5, Raffia::Server::Admission::QueueTime.ago(header, now), 0.001, header)
    end
  end

  def test_x_request_start_that_cannot_be_believed
    now = 1_761_000_000.0
    [nil, "", "t=", "t=abc", "t=1", "-5", "t=1761000005", "t=1760000000", "t=1e9",
      "1761000000,1761000000", "9" * 30].each do |header|
      assert_nil(Raffia::Server::Admission::QueueTime.ago(header, now), header.inspect)
    end
    assert_equal(0.0, Raffia::Server::Admission::QueueTime.ago("t=1761000000.4", now),
      "a front whose clock is a little ahead")
  end

  def test_request_timeout
    assert_equal([2.0, 0.5, 0.0],
      %w[2 0.5 0].map { |header| Raffia::Server::Admission::QueueTime.patience(header) })
    assert_nil Raffia::Server::Admission::QueueTime.patience("9" * 10) # no client waits for so long
    assert_equal([nil] *
      5,
      [nil, "", "-1", "5s", "1e3"].map { |header|
        Raffia::Server::Admission::QueueTime.patience(header)
      })
  end
end
