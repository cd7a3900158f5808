# frozen_string_literal: true

require "test_helper"
require "minitest/mock"
require "raffia/task"

class WaiterTest < Raffia::TestCase
  Boom = Class.new(StandardError)

  # A scheduler in the hands of the test: what +block+ does is scripted, what +unblock+ gets is
  # recorded.
  class Scripted
    attr_reader :blocked, :unblocked

    def initialize(*script)
      @script = script
      @blocked = []
      @unblocked = []
    end

    def block(blocker, timeout)
      @blocked << timeout
      @script.shift&.call(blocker)
    end

    def unblock(blocker, _fiber) = @unblocked << blocker
  end

  def waiter(*script)
    @scheduler = Scripted.new(*script)
    Fiber.stub(:current_scheduler, @scheduler) { Raffia::Waiter.new }
  end

  def test_settled_before_the_wait
    waiter = waiter()
    assert waiter.settle(:value)
    refute waiter.settle(:other)
    refute waiter.fail(Boom.new)
    assert_predicate waiter, :settled?
    assert_equal :value, waiter.wait
    assert_empty @scheduler.blocked
    assert_empty @scheduler.unblocked, "nobody had to be woken"
  end

  def test_settled_during_the_wait
    waiter = waiter(->(w) { w.settle(:value) })
    assert_equal :value, waiter.wait
    assert_equal [waiter], @scheduler.unblocked
    assert_equal [nil], @scheduler.blocked
  end

  def test_a_spurious_wake_up_parks_again
    waiter = waiter(->(_) {}, ->(_) {}, ->(w) { w.settle(:value) })
    assert_equal :value, waiter.wait(100)
    assert_equal 3, @scheduler.blocked.size
    assert_operator @scheduler.blocked.last, :<=, 100, "what is left of the timeout"
  end

  # Settled while it was awake for no reason: no unblock is sent, since none would be waited for.
  def test_settled_between_two_parks
    waiter = waiter(->(_) {})
    spied = waiter.method(:suspend)
    waiter.stub(:suspend, ->(remaining) {
      spied.call(remaining) && waiter.settle(:value) || waiter.settle(:value)
    }) do
      assert_equal :value, waiter.wait
    end
    assert_empty @scheduler.unblocked
  end

  def test_failed
    waiter = waiter(->(w) { w.fail(Boom.new("x")) })
    assert_equal "x", assert_raises(Boom) { waiter.wait }.message
  end

  def test_timed_out
    waiter = waiter()
    assert_same Raffia::Waiter::TIMED_OUT, waiter.wait(0)
    refute waiter.settle(:late)
    assert_empty @scheduler.blocked
  end

  # The timer woke it and the event came in the same turn: its unblock is on the way and is met with
  # one more turn.
  def test_settled_as_the_time_is_up
    waiter = waiter(lambda do |w|
      w.settle(:value)
      wait_until { Raffia::Clock.now > @limit }
    end)
    @limit = Raffia::Clock.now + 0.001
    assert_equal :value, waiter.wait(0.0005)
    assert_equal 2, @scheduler.blocked.size
    assert_equal 0, @scheduler.blocked.last
  end

  def test_interrupted
    waiter = waiter(->(_) { raise Boom })
    assert_raises(Boom) { waiter.wait { flunk("nothing to give back") } }
    refute waiter.settle(:late)
    assert_equal 1, @scheduler.blocked.size, "nobody will unblock it"
  end

  def test_interrupted_in_the_middle_of_a_handover
    waiter = waiter(->(w) { w.settle(:item) && raise(Boom) })
    back = []
    assert_raises(Boom) { waiter.wait { |item| back << item } }
    assert_equal [:item], back
    assert_equal [nil, 0], @scheduler.blocked, "the unblock is met"
  end

  def test_interrupted_after_a_failure_gives_nothing_back
    waiter = waiter(->(w) { w.fail(IOError.new) && raise(Boom) })
    assert_raises(Boom) { waiter.wait { flunk } }
  end

  def test_thrown_out
    waiter = waiter(->(w) { w.settle(:item) && throw(:out, :thrown) })
    back = []
    assert_equal(:thrown, catch(:out) { waiter.wait { |item| back << item } })
    assert_equal [:item], back
  end

  def test_a_plain_thread
    waiter = nil
    thread = Thread.new { (waiter = Raffia::Waiter.new).wait }
    wait_until { thread.status == "sleep" }
    assert waiter.settle(:value)
    assert_equal :value, thread.value
    assert_nil Raffia::Waiter.nap(0.001)
  end

  def test_only_one_of_many_threads_settles
    50.times do
      waiter = Raffia::Waiter.new
      won = Array.new(4) { |i| Thread.new { waiter.settle(i) && i } }.filter_map(&:value)
      assert_equal [waiter.wait], won
    end
  end
end
