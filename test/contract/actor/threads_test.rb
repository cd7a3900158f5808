# frozen_string_literal: true

require_relative "actor_contract"
require_relative "shared_contract"
require_relative "bonds_contract"
require_relative "cycles_contract"

ActorCase.run(:threads, ActorContract, ActorSharedContract, ActorBondsContract, ActorCyclesContract)

# Timers of actors on threads where there is no Fiber scheduler, as on JRuby.
class ActorClockworkTest < Raffia::TestCase
  def setup = @fired = Thread::Queue.new

  def clockwork
    assert_no_leaks do
      clockwork = Raffia::Actor::Host::Clockwork.new
      yield clockwork
    ensure
      clockwork&.close(PATIENCE)
    end
  end

  def test_blocks_are_called_in_the_order_of_their_times
    clockwork do |host|
      host.after(0.05) { @fired.push(:second) && nil }
      host.after(0.02) { @fired.push(:first) && nil }
      far = host.after(3600) { flunk }
      assert_equal %i[first second], Array.new(2) { @fired.pop(timeout: PATIENCE) }
      far.cancel
    end
  end

  def test_one_is_called_again_after_what_it_returns_until_it_is_cancelled
    clockwork do |host|
      calls = 0
      timer = host.after(0) { (@fired << (calls += 1)) && (0.001 if calls < 3) }
      assert_equal [1, 2, 3], Array.new(3) { @fired.pop(timeout: PATIENCE) }
      wait_until { timer.over? }
      timer = host.after(0) { @fired.push(:again) && 0.001 }
      @fired.pop(timeout: PATIENCE)
      timer.cancel
      assert_predicate timer, :over?
    end
  end

  def test_one_that_fails_is_not_called_again_and_ends_no_other
    log, Raffia::Actor.log = Raffia::Actor.log, Logger.new(told = StringIO.new)
    clockwork do |host|
      host.after(0) { @fired.push(:failed) && raise("broken") }
      assert_equal :failed, @fired.pop(timeout: PATIENCE)
      host.after(0.01) { @fired.push(:other) && nil }
      assert_equal :other, @fired.pop(timeout: PATIENCE)
    end
    assert_match(/a timer failed.*broken/m, told.string)
  ensure
    Raffia::Actor.log = log
  end
end
