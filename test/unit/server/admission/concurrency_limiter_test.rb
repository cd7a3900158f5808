# frozen_string_literal: true

require "test_helper"
require "raffia"
require "raffia/server/admission/concurrency_limiter"
require "raffia/server/admission/queue_time"

class ServerGateTest < Raffia::TestCase
  Limiter = Raffia::Server::Admission::ConcurrencyLimiter

  def test_nothing_to_decide_is_no_gate
    assert_nil(Limiter.build)
  end

  def test_so_many_are_inside_and_the_others_follow_in_order
    order = []
    most = 0
    Raffia.run do |scope|
      limiter = Limiter.build(limit: 2)
      10.times do |number|
        scope.spawn do
          limiter.enter
          order << number
          most = [most, limiter.admitted].max
          Raffia::Waiter.nap(0.001)
          limiter.leave
        end
      end
      assert_equal([2, 8], [limiter.admitted, limiter.waiting])
    end
    assert_equal([(0...10).to_a, 2], [order, most])
  end

  def test_one_that_comes_later_does_not_overtake_one_that_has_been_called
    order = []
    Raffia.run do |scope|
      limiter = Limiter.build(limit: 1)
      limiter.enter
      scope.spawn { limiter.enter.then { order << :first } }
      limiter.leave # the first has been called, and did not run yet
      scope.spawn { limiter.enter.then { order << :second } }
      wait_until { order.any? }
      assert_equal([[:first], 1, 1], [order, limiter.admitted, limiter.waiting])
      limiter.leave
    end
    assert_equal(%i[first second], order)
  end

  def test_heavy_requests_have_a_lower_limit_and_others_pass_those_that_wait
    order = []
    Raffia.run do |scope|
      limiter = Limiter.build(limit: 3, heavy: 2)
      2.times { limiter.enter(0.0, 0.0, true) }
      5.times { |number| scope.spawn { limiter.enter(0.0, 0.0, true).then { order << number } } }
      scope.spawn { limiter.enter.then { order << :light } }
      scope.spawn { limiter.enter.then { order << :next } }
      wait_until { limiter.admitted == 3 }
      assert_equal([%i[light], 6], [order, limiter.waiting])
      refute_predicate(limiter, :crowded?)
      assert_operator(limiter.longest_wait, :>, 0)
      limiter.leave
      wait_until { order.size == 2 }
      assert_equal(%i[light next], order)
      limiter.leave(true)
      wait_until { order.size == 3 }
      limiter.leave
      assert_equal([2, 4, 2.0 / 3], [limiter.admitted, limiter.waiting, limiter.occupancy])
      4.times { limiter.leave(true) }
      wait_until { order.size == 7 }
      assert_equal([:light, :next, 0, 1, 2, 3, 4], order)
      2.times { limiter.leave(true) }
      assert_equal([0, 0.0], [limiter.admitted, limiter.longest_wait])
    end
  end

  # In the order of arrival, the ten would be the last ones.
  def test_connections_take_turns
    order = []
    Raffia.run do |scope|
      limiter = Limiter.build(limit: 2)
      2.times { limiter.enter(0.0, 0.0, false, :many) }
      enter = lambda do |connection|
        scope.spawn { limiter.enter(0.0, 0.0, false, connection).then { order << connection } }
      end
      98.times { enter.call(:many) }
      refute_predicate(limiter, :crowded?, "the streams of one connection are no crowd")
      10.times { |number| enter.call(number) }
      assert_equal([true, 108], [limiter.crowded?, limiter.waiting])
      11.times { limiter.leave }
      wait_until { order.size == 11 }
      assert_equal([:many, *0...10], order)
      97.times { limiter.leave }
      wait_until { order.size == 108 }
      assert_equal([[:many], 0], [order.last(97).uniq, limiter.waiting])
    end
  end

  def test_one_that_gives_up_leaves_its_place_in_the_line_to_others
    Raffia.run do |scope|
      limiter = Limiter.build(limit: 1)
      limiter.enter
      impatient = scope.spawn { limiter.enter }
      patient = scope.spawn { limiter.enter }
      impatient.cancel
      limiter.leave
      patient.join
      assert_equal([1, 0], [limiter.admitted, limiter.waiting])
    end
  end

  def test_a_request_cancelled_at_its_turn_passes_the_turn_on
    Raffia.run do |scope|
      limiter = Limiter.build(limit: 1)
      limiter.enter
      called = scope.spawn { limiter.enter.then { limiter.leave } }
      other = scope.spawn { limiter.enter }
      limiter.leave
      called.cancel
      other.join
      assert_equal([1, 0], [limiter.admitted, limiter.waiting])
    end
  end

  def test_a_request_that_has_waited_for_too_long_is_refused
    Raffia.run do |scope|
      limiter = Limiter.build(limit: 1, max_wait: 0.01)
      limiter.enter
      error = assert_raises(Limiter::Busy) { limiter.enter }
      assert_equal([1, 1, 0], [error.retry_after, limiter.admitted, limiter.waiting])
      limiter.leave
      assert_equal([3, 0], [assert_raises(Limiter::Busy) { limiter.enter(0.0, 2.5) }.retry_after,
        limiter.admitted])
      assert_equal(0.005, limiter.enter(0.005))
    end
  end

  def test_the_shed_refuses_when_even_the_shortest_wait_of_an_interval_was_long
    codel = Raffia::Server::Admission::CoDel.new(0.1, interval: 1)
    refute(codel.refuse?(0.5, 10.0), "nothing is known yet")
    refute(codel.refuse?(0.9, 10.9))
    assert(codel.refuse?(0.9, 11.1), "all have waited for longer than the target")
    refute(codel.refuse?(0.15, 11.2), "who has waited for less than twice the target is let in")
    assert(codel.refuse?(0.25, 11.3))
  end

  def test_a_burst_is_not_refused
    codel = Raffia::Server::Admission::CoDel.new(0.1, interval: 1)
    refute(codel.refuse?(0.5, 10.0))
    refute(codel.refuse?(0.01, 10.5))
    refute(codel.refuse?(0.9, 11.1))
  end

  def test_the_first_short_wait_ends_it
    codel = Raffia::Server::Admission::CoDel.new(0.1, interval: 1)
    [10.0, 10.5, 11.1].each { |now| codel.refuse?(0.9, now) }
    assert_predicate(codel, :standing?)
    refute(codel.refuse?(0.05, 11.2))
    refute(codel.refuse?(0.9, 11.3))
  end

  def test_after_a_pause_the_past_is_forgotten
    codel = Raffia::Server::Admission::CoDel.new(0.1, interval: 1)
    [10.0, 10.5].each { |now| codel.refuse?(0.9, now) }
    refute(codel.refuse?(0.9, 100.0))
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
      %w[2 0.5 0].map { |header| Raffia::Server::Admission::QueueTime.client_timeout(header) })
    # no client waits for so long
    assert_nil Raffia::Server::Admission::QueueTime.client_timeout("9" * 10)
    assert_equal([nil] *
      5,
      [nil, "", "-1", "5s", "1e3"].map { |header|
        Raffia::Server::Admission::QueueTime.client_timeout(header)
      })
  end
end
