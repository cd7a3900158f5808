# frozen_string_literal: true

require_relative "shared_contract"

# Links, monitors, timers, cycles of calls, and other objects behind the same ref.
module ActorLinksContract
  include ActorCase

  Puppet = ActorSharedContract::Puppet
  Trapping = ActorSharedContract::Trapping

  def puppet(*, **) = spawn(Puppet, *, **)

  # --- links and monitors

  def test_linked_actors_end_together_unless_one_ends_normally
    with_actors do
      one, two, three = Array.new(3) { puppet }
      one.perform { link(two) }
      one.perform { link(three) }
      two.perform { unlink(one) }
      assert_raises(RuntimeError) { one.perform { raise "boom" } }
      assert_equal("boom", three.join.reason.message)
      assert_predicate(two, :alive?)
      two.perform(four = puppet) { |other| link(other) }
      two.stop
      two.join
      assert_predicate(four, :alive?)
    end
  end

  def test_an_actor_that_traps_exits_gets_them
    with_actors do
      events = Thread::Queue.new
      trapping = spawn(Trapping, events)
      ends = puppet
      trapping.perform { link(ends) }
      ends.stop(:normal)
      assert_equal([:start, [:exit, ends, :normal]], [events.pop, events.pop])
      trapping.perform { link(ends) } # it has ended already
      assert_equal([:exit, ends, :normal], events.pop)
    end
  end

  def test_spawned_with_a_link
    with_actors do
      parent = puppet
      on = place
      child = parent.perform { Puppet.spawn(on: on, link: true) }
      parent.kill
      assert_equal(:killed, child.join.reason)
    end
  end

  def test_an_error_in_on_exit_is_the_actors_own
    with_actors do
      trapping = spawn(Trapping)
      trapping.perform { define_singleton_method(:on_exit) { |*| raise "worse" } }
      trapping.perform(ends = puppet) { |other| link(other) }
      ends.kill
      assert_equal("worse", trapping.join.reason.message)
    end
  end

  def test_monitors
    with_actors do
      events = Thread::Queue.new
      watcher = puppet(events)
      watched = puppet
      watcher.perform do
        monitor(watched) { |ref, reason| @events.push([ref, reason, Raffia::Actor.current]) }
      end
      handle = watcher.perform { monitor(watched) { @events.push(:never) } }
      watcher.perform { demonitor(watched, handle) }
      watched.kill(:why)
      assert_equal([:start, [watched, :why, watcher]], [events.pop, events.pop])
      watcher.perform { monitor(watched) { |_, reason| @events.push(reason) } }
      assert_equal(:why, events.pop)
      watcher.perform { monitor(watched) { raise "boom" } }
      assert_equal("boom", watcher.join.reason.message)
      assert_equal(:stop, events.pop.first)
      assert_empty(events)
    end
  end

  def test_monitors_end_with_the_monitoring_actor
    with_actors do
      watched = puppet
      watcher = puppet
      watcher.perform { monitor(watched) { nil } }
      watcher.kill
      watcher.join
      assert_equal(0, watched.raffia_core.links.observers)
    end
  end

  # --- timers

  def test_timers_run_as_messages
    with_actors do
      events = Thread::Queue.new
      actor = puppet(events)
      actor.perform { after(0.001) { @events.push([:after, Raffia::Actor.current]) } }
      assert_equal([:start, [:after, actor]], [events.pop, events.pop])
      timer = actor.perform { every(0.001) { @events.push(:tick) } }
      3.times { assert_equal(:tick, events.pop) }
      timer.cancel
      actor.echo(1)
      events.clear
      actor.perform { after(0.005) { @events.push(:last) } }
      assert_equal(:last, events.pop)
      wait_until { actor.raffia_core.timers.size.zero? }
    end
  end

  def test_a_timer_that_is_slower_than_its_period_does_not_pile_up
    with_actors do
      events = Thread::Queue.new
      actor = puppet(events)
      actor.perform { every(0.001) { sleep(0.01) && @events.push(:tick) } }
      5.times { events.pop }
      assert_operator(actor.stats[:mailbox], :<=, 1)
      actor.kill
    end
  end

  def test_an_error_in_a_timer_ends_the_actor_and_its_timers
    with_actors do
      actor = puppet
      actor.perform { after(0.001) { raise "too late" } }
      assert_equal("too late", actor.join.reason.message)
      assert_match(/#timer failed.*too late/m, logged)
    end
  end

  def test_a_full_mailbox_leaves_timers_out
    with_actors do
      gate = Thread::Queue.new
      actor = puppet(events = Thread::Queue.new, mailbox: 1)
      actor.perform { every(0.001) { @events.push(:tick) } }
      assert_equal(%i[start tick], [events.pop, events.pop])
      blocked = actor.future.perform { gate.pop }
      wait_until { gate.num_waiting == 1 }
      wait_until { actor.stats[:mailbox] == 1 }
      gate.push(true)
      blocked.value
      events.clear
      2.times { assert_equal(:tick, events.pop) }
    end
  end

  # --- cycles

  def test_a_call_to_itself_is_an_error
    with_actors do
      actor = puppet
      error = assert_raises(Raffia::CallCycle) { actor.perform { ref.note(1) } }
      assert_match(/Puppet#\d+#perform -> .*Puppet#\d+#note/, error.message)
      assert_match(/reentrant :note/, error.message)
    end
  end

  def test_a_cycle_of_calls_is_an_error
    with_actors do
      one, two = puppet, puppet
      error = assert_raises(Raffia::CallCycle) { one.call_back(two, :call_back, one, :note, 1) }
      assert_equal(3, error.calls.size)
      assert_equal(error, one.join.reason)
    end
  end

  def test_a_reentrant_method_runs_meanwhile
    with_actors do
      one, two = puppet, puppet
      assert_equal(5, one.call_back(two, :call_back, one, :echo, 5))
      assert_equal(6, one.perform { ref.echo(6) })
    end
  end

  def test_calls_that_cross_are_a_cycle
    with_actors do
      one, two = puppet, puppet
      gate = Thread::Queue.new
      first = one.future.perform { gate.pop && two.note(1) }
      wait_until { gate.num_waiting == 1 }
      second = two.future.perform { one.note(1) }
      wait_until { waits?(two) }
      gate.push(true)
      assert_raises(Raffia::CallCycle) { first.value }
      assert_raises(Raffia::ActorDied) { second.value }
    end
  end

  def test_calls_that_cross_may_be_reentrant
    with_actors do
      one, two = puppet, puppet
      gate = Thread::Queue.new
      first = one.future.perform { gate.pop && two.call(:echo, 1) }
      wait_until { gate.num_waiting == 1 }
      second = two.future.perform { one.echo(2) }
      wait_until { waits?(two) }
      gate.push(true)
      assert_equal([1, 2], [first.value, second.value])
    end
  end

  def test_waiting_for_room_can_close_a_cycle
    with_actors do
      one, two = puppet(mailbox: 1), puppet(mailbox: 1)
      gate = Thread::Queue.new
      first = one.future.perform { gate.pop && two.note(1) }
      wait_until { gate.num_waiting == 1 }
      one.async.echo(0)
      second = two.future.perform { one.note(1) }
      wait_until { waits?(two) }
      two.async.echo(0)
      gate.push(true)
      assert_raises(Raffia::CallCycle) { first.value }
      assert_raises(Raffia::ActorDied) { second.value }
    end
  end

  def test_a_cycle_through_a_future
    with_actors do
      one, two = puppet, puppet
      assert_raises(Raffia::CallCycle) { one.perform { two.future.call_back(ref, :note, 1).value } }
      three, four = puppet, puppet
      assert_equal(3, three.perform { four.future.call_back(ref, :echo, 3).value })
      assert_predicate(three, :alive?)
    end
  end

  def test_a_chain_that_is_over_is_no_cycle
    with_actors do
      events = Thread::Queue.new
      one = puppet(events)
      aside = one.perform { @later = -> { ref.call(:echo, 1) } } # made in a message that is over
      assert_equal(1, aside.call)
    end
  end

  # --- other objects behind the same ref

  # A parent that restarts its actor or not, by its setting.
  class Parent
    attr_reader :received

    def initialize(&decide)
      @decide = decide
      @received = Thread::Queue.new
    end

    def ended(core, reason)
      @received << [core.status, reason.is_a?(Exception) ? reason.message : reason]
      @decide&.call(core, reason)
    end
  end

  def kept(parent, *arguments, **options)
    factory = Raffia::Actor::ObjectFactory.new(Puppet, arguments, {}, nil)
    Puppet.raffia_spawn(factory, parent: parent, on: place, **options)
  end

  def test_a_fresh_object_gets_the_messages_that_wait
    with_actors do
      events = Thread::Queue.new
      actor = kept(parent = Parent.new { |core| core.restart }, events, name: :kept)
      failing = actor.future.perform { sleep(0.01) && raise("boom") }
      waiting = actor.future.echo(1)
      assert_raises(RuntimeError) { failing.value }
      assert_equal(1, waiting.value)
      assert_equal([:restarting, "boom"], parent.received.pop)
      assert_equal(actor, Raffia::Actor[:kept])
      assert_equal(1, actor.stats[:restarts])
      assert_nil(actor.reason)
      assert_equal(%i[start stop start],
        Array.new(3) { events.pop.then { |event| event.is_a?(Array) ? event.first : event } })
    end
  end

  def test_kill_and_stop_rob_a_kept_actor_of_its_object_only
    with_actors do
      actor = kept(parent = Parent.new { |core| core.restart })
      nap = actor.future.perform { sleep }
      waiting = actor.future.echo(1)
      wait_until { actor.stats[:handled] == 1 }
      actor.kill
      assert_raises(Raffia::ActorDied) { nap.value }
      assert_equal(1, waiting.value)
      actor.stop(:enough)
      assert_equal(2, actor.echo(2))
      assert_equal([[:restarting, :killed], [:restarting, :enough]],
        [parent.received.pop, parent.received.pop])
      actor.kill(:shutdown)
      assert_equal([:dead, :shutdown], parent.received.pop)
    end
  end

  def test_messages_wait_until_the_parent_has_decided
    with_actors do
      actor = kept(parent = Parent.new)
      actor.kill
      assert_equal([:restarting, :killed], parent.received.pop)
      waiting = actor.future.echo(1)
      refute(actor.kill) # there is nothing to kill
      assert_equal(:restarting, actor.status)
      actor.raffia_core.restart
      assert_equal(1, waiting.value)
      actor.kill
      parent.received.pop
      waiting = actor.future.echo(1)
      actor.raffia_core.die(:enough)
      assert_equal(:enough, assert_raises(Raffia::ActorDied) { waiting.value }.reason)
      assert_kind_of(Raffia::ActorDied, actor.raffia_core.restart)
    end
  end

  def test_a_restart_that_fails_is_the_parents_to_try_again
    with_actors do
      events = Thread::Queue.new
      actor = kept(parent = Parent.new, events)
      events.close # on_start pushes
      actor.kill
      parent.received.pop
      assert_kind_of(ClosedQueueError, actor.raffia_core.restart)
      assert_equal(:restarting, actor.status)
      actor.kill(:shutdown)
      assert_equal([:dead, :shutdown], parent.received.pop)
    end
  end

  def test_timers_and_monitors_of_an_object_end_with_it
    with_actors do
      watched = puppet
      actor = kept(Parent.new { |core| core.restart }, events = Thread::Queue.new)
      timer = actor.perform { after(600) { @events.push(:timer) } }
      actor.perform { monitor(watched) { @events.push(:monitor) } }
      assert_raises(RuntimeError) { actor.perform { raise "boom" } }
      watched.kill
      watched.join
      actor.echo(1)
      assert_predicate(timer, :cancelled?)
      assert_equal(%i[start stop start],
        Array.new(events.size) {
          events.pop
          .then { |event| event.is_a?(Array) ? event.first : event }
        })
    end
  end

  def test_the_error_of_a_parent_is_logged
    with_actors do
      actor = kept(Parent.new { |core| raise("no idea") if core.status == :restarting })
      assert_raises(RuntimeError) { actor.perform { raise "boom" } }
      wait_until { logged.include?("no idea") }
    end
  end
end
