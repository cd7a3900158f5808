# frozen_string_literal: true

require "test_helper"
require "raffia/actor"

class ActorLifecycleTest < Raffia::TestCase
  Lifecycle = Raffia::Actor::Lifecycle
  ExitSignal = Raffia::Actor::ExitSignal

  def signal(reason = :why, final: false) = ExitSignal.new(reason, final)

  def running = Lifecycle.new.tap { |lifecycle| lifecycle.started(false) }

  def suspended
    running.tap do |lifecycle|
      lifecycle.acquire
      lifecycle.receive(signal)
      lifecycle.lose_object
      lifecycle.suspend
    end
  end

  def test_every_transition_of_the_table_and_no_other
    states = Lifecycle::TRANSITIONS.keys
    states.product(states).each do |from, to|
      lifecycle = Lifecycle.new
      lifecycle.instance_variable_set(:@state, from)
      if from == to || Lifecycle::TRANSITIONS[from].include?(to)
        lifecycle.transition(to)
        assert_equal(to, lifecycle.state)
      else
        error = assert_raises(ArgumentError) { lifecycle.transition(to) }
        assert_equal("an actor cannot go from #{from} to #{to}", error.message)
        assert_equal(from, lifecycle.state)
      end
    end
  end

  def test_it_is_executed_by_one_at_a_time
    lifecycle = Lifecycle.new
    refute(lifecycle.acquire, "the one who makes the object executes it")
    refute(lifecycle.started(false))
    assert(lifecycle.acquire)
    assert_predicate(lifecycle, :executing?)
    refute(lifecycle.acquire)
    refute(lifecycle.acquire_running)
    assert_nil(lifecycle.release)
    assert(lifecycle.acquire_running)
  end

  def test_only_an_actor_with_an_object_is_acquired_to_run
    lifecycle = suspended
    assert_predicate(lifecycle, :suspended?)
    refute(lifecycle.acquire_running)
    assert(lifecycle.acquire)
  end

  def test_a_start_goes_on_when_messages_or_an_exit_signal_wait
    assert(Lifecycle.new.started(true))
    lifecycle = Lifecycle.new
    lifecycle.receive(signal)
    assert(lifecycle.started(false))
    assert_equal(:running, lifecycle.state)
  end

  def test_a_stop_during_the_start_stays
    lifecycle = Lifecycle.new
    lifecycle.transition(:stopping)
    lifecycle.started(true)
    assert_equal(:stopping, lifecycle.state)
    refute_predicate(lifecycle, :alive?)
  end

  def test_a_restart
    lifecycle = suspended
    assert_equal(:why, lifecycle.reason)
    assert_predicate(lifecycle, :at_rest?)
    assert(lifecycle.restart)
    refute(lifecycle.restart, "one at a time")
    refute(lifecycle.started(false))
    assert_equal([:running, 1, nil], [lifecycle.state, lifecycle.restarts, lifecycle.reason])
    refute(lifecycle.restart)
  end

  def test_a_restart_that_fails
    lifecycle = suspended
    lifecycle.restart
    assert_equal(:failed, lifecycle.restart_failed)
    assert_predicate(lifecycle, :suspended?)
    lifecycle.restart
    lifecycle.receive(signal)
    assert_equal(:interrupted, lifecycle.restart_failed)
    assert_nil(lifecycle.exit_signal)
    lifecycle.restart
    lifecycle.receive(signal(final: true))
    assert_nil(lifecycle.restart_failed)
  end

  def test_a_first_start_that_fails_is_final
    assert_nil(Lifecycle.new.restart_failed)
  end

  def test_an_exit_signal_is_replaced_only_by_a_final_one
    lifecycle = running
    lifecycle.acquire
    first = signal
    assert_same(first, lifecycle.receive(first))
    assert_nil(lifecycle.receive(signal(:other)))
    assert_equal(:running, lifecycle.state)
    final = lifecycle.receive(signal(:last, final: true))
    assert_equal([:last, :stopping], [final.reason, lifecycle.state])
    assert_nil(lifecycle.receive(signal(:later, final: true)))
  end

  def test_without_an_object_only_a_final_signal_counts
    lifecycle = suspended
    assert_nil(lifecycle.receive(signal))
    assert(lifecycle.receive(signal(final: true)))
  end

  def test_what_ends_an_actor_that_stops_is_final
    lifecycle = running
    lifecycle.transition(:stopping)
    lifecycle.receive(signal)
    assert_predicate(lifecycle.exit_signal, :final?)
  end

  def test_the_first_end_counts
    lifecycle = running
    assert_nil(lifecycle.end_by(signal(:first)))
    assert_equal(:first, lifecycle.end_by(signal(:second)).reason)
    assert_equal(:first, lifecycle.exit_signal.reason)
  end

  def test_a_final_signal_ends_the_actor_with_its_object
    lifecycle = running
    lifecycle.acquire
    lifecycle.receive(signal(final: true))
    assert_equal(:why, lifecycle.lose_object)
    refute(lifecycle.suspend)
    assert(lifecycle.die(:why))
    refute(lifecycle.die(:again))
    assert_equal([:dead, :why], [lifecycle.state, lifecycle.reason])
    assert_nil(lifecycle.receive(signal))
  end
end
