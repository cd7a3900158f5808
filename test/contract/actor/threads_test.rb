# frozen_string_literal: true

require_relative "actor_contract"
require_relative "shared_contract"
require_relative "links_contract"
require_relative "cycles_contract"

ActorCase.run(:threads, ActorContract, ActorSharedContract, ActorLinksContract, ActorCyclesContract)

# Timers of actors on threads where there is no Fiber scheduler, as on JRuby.
class ActorTimerThreadGroupTest < Raffia::TestCase
  def setup = @fired = Thread::Queue.new

  def group_of_timers
    assert_no_leaks do
      group_of_timers = Raffia::Actor::TimerThreadGroup.new
      yield group_of_timers
    ensure
      group_of_timers&.close(PATIENCE)
    end
  end

  def test_blocks_are_called_in_the_order_of_their_times
    group_of_timers do |group|
      far = group.after(3600) { flunk } # the thread has been started by this one
      group.after(0.05) { @fired.push(:second) && nil }
      group.after(0.02) { @fired.push(:first) && nil }
      assert_equal %i[first second], Array.new(2) { @fired.pop(timeout: PATIENCE) }
      far.cancel
    end
  end

  def test_one_is_called_again_after_what_it_returns_until_it_is_cancelled
    group_of_timers do |group|
      calls = 0
      timer = group.after(0) { (@fired << (calls += 1)) && (0.001 if calls < 3) }
      assert_equal [1, 2, 3], Array.new(3) { @fired.pop(timeout: PATIENCE) }
      wait_until { timer.over? }
      timer = group.after(0) { @fired.push(:again) && 0.001 }
      @fired.pop(timeout: PATIENCE)
      timer.cancel
      assert_predicate timer, :over?
    end
  end

  def test_one_that_fails_is_not_called_again_and_ends_no_other
    log, Raffia::Actor.log = Raffia::Actor.log, Logger.new(received = StringIO.new)
    group_of_timers do |group|
      group.after(0) { @fired.push(:failed) && raise("broken") }
      assert_equal :failed, @fired.pop(timeout: PATIENCE)
      group.after(0.01) { @fired.push(:other) && nil }
      assert_equal :other, @fired.pop(timeout: PATIENCE)
    end
    assert_match(/a timer failed.*broken/m, received.string)
  ensure
    Raffia::Actor.log = log
  end
end
