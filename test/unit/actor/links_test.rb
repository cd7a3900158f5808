# frozen_string_literal: true

require_relative "actor_parts_case"

class ActorLinksTest < Raffia::TestCase
  include ActorPartsCase

  def setup
    @core = Core.new(:one)
    @other = Core.new(:other)
    @links = Raffia::Actor::Links.new(@core)
  end

  def end_it(reason = :why)
    @core.dead = true
    @core.reason = reason
    @links.announce(reason)
  end

  def test_a_link_gets_one_exit
    2.times { @links.add(@other) }
    assert_equal([@other], @links.to_a)
    end_it
    @links.announce(:again)
    assert_equal([[:one, :why]], @other.received)
  end

  def test_a_link_with_a_dead_actor_gets_its_exit_at_once
    end_it
    @links.add(@other)
    assert_equal([[:one, :why]], @other.received)
    assert_empty(@links.to_a)
  end

  def test_a_removed_link_gets_no_exit
    @links.add(@other)
    @links.delete(@other)
    end_it
    assert_empty(@other.received)
  end

  def test_observers
    received = []
    @links.observe { |ref, reason| received << [ref, reason] }
    gone = @links.observe { received << :never }
    @links.unobserve(gone)
    assert_equal(1, @links.observers)
    end_it
    @links.observe { |_, reason| received << reason }
    assert_equal([[:one, :why], :why], received)
  end

  def test_a_monitor_runs_as_work_of_its_actor
    @links.monitor(@other) { |ref, reason| [ref, reason] }
    assert_equal(1, @links.monitors)
    @other.watchers.first.call(:other, :boom)
    assert_equal([[:other, :boom]], @core.received)
    assert_equal(0, @links.monitors)
  end

  def test_demonitor
    handle = @links.monitor(@other) { flunk }
    2.times { @links.monitor(@other) { flunk } }
    @links.demonitor(@other, handle)
    assert_equal(2, @other.watchers.size)
    @links.demonitor_all
    assert_empty(@other.watchers)
  end

  def test_joiners
    waiters = Array.new(2) { Raffia::Waiter.new }
    assert(waiters.all? { |waiter| @links.add_joiner(waiter) })
    @links.delete_joiner(waiters.last)
    @links.settle_joiners
    assert_equal([true, false], waiters.map(&:settled?))
    @core.dead = true
    refute(@links.add_joiner(Raffia::Waiter.new))
  end

  def test_joiners_that_have_gone_do_not_pile_up
    5.times { Raffia::Waiter.new.tap { |waiter| @links.add_joiner(waiter) }.settle }
    assert_equal(1, @links.joiners)
  end
end
