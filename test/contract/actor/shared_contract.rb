# frozen_string_literal: true

require_relative "actor_case"

# Contract of actors whose object is in the test's own process: blocks, replies, and conditions
# that both sides see.
module ActorSharedContract
  include ActorCase

  # Runs the blocks that it gets, which shows what happens meanwhile.
  class Puppet < Raffia::Actor
    def initialize(events = nil) = @events = events

    def on_start = @events&.push(:start)

    def on_stop(reason) = @events&.push([:stop, reason])

    def on_exit(ref, reason) = @events&.push([:exit, ref, reason])

    def perform(*arguments, &) = instance_exec(*arguments, &)

    def note(item) = @events.push(item)

    def ask_later = @answer = answer_later

    def answer(value) = @answer.settle(value)

    def call_back(ref, name, *arguments) = ref.call(name, *arguments)

    def echo(value) = value
    reentrant :echo
  end

  class Trapping < Puppet
    options trap_exit: true
  end

  def puppet(*, **) = spawn(Puppet, *, **)

  # --- blocks and replies

  def test_a_block_travels_along
    with_actors { assert_equal([2, 4], puppet.perform([1, 2]) { |all| all.map { |n| n * 2 } }) }
  end

  def test_an_answer_may_come_later_and_from_anywhere
    with_actors do
      actor = puppet
      future = actor.future.ask_later
      assert(actor.answer(:here))
      assert_equal(:here, future.value)
      refute(actor.answer(:again))
    end
  end

  def test_answers_that_are_owed_at_the_end_are_errors
    with_actors do
      actor = puppet
      future = actor.future.ask_later
      actor.perform { @answer } # it has been begun
      actor.kill
      assert_equal(:killed, assert_raises(Raffia::ActorDied) { future.value }.reason)
    end
  end

  def test_an_async_message_has_no_caller_to_answer
    with_actors do
      actor = puppet
      actor.async.ask_later
      refute(actor.answer(1))
    end
  end

  def test_what_a_block_throws_or_breaks_ends_the_actor_and_not_the_loop
    with_actors do
      assert_raises(UncaughtThrowError) { puppet.perform { throw :nowhere } }
      assert_raises(NotImplementedError) { puppet.perform { raise NotImplementedError } }
      assert_raises(SystemExit) { puppet.perform { exit(3) } }
      assert_equal(1, puppet.echo(1))
    end
  end

  # --- ends

  def test_hooks
    with_actors do
      events = Thread::Queue.new
      actor = puppet(events)
      assert_raises(IndexError) { actor.perform { raise IndexError, "lost" } }
      assert_equal(:start, events.pop)
      assert_equal([:stop, "lost"], events.pop.then { |kind, reason| [kind, reason.message] })
      assert_empty(events)
    end
  end

  def test_a_hook_that_fails_is_logged_and_the_actor_ends_all_the_same
    with_actors do
      actor = puppet
      actor.perform { define_singleton_method(:on_stop) { |_| raise "no way out" } }
      actor.stop
      assert_equal(actor, actor.join)
      assert_match(/on_stop failed.*no way out/m, logged)
    end
  end

  def test_while_it_ends_it_takes_no_messages
    with_actors do
      gate = Thread::Queue.new
      actor = puppet
      actor.perform { define_singleton_method(:on_stop) { |_| gate.pop } }
      failing = actor.future.perform { raise "boom" }
      wait_until { gate.num_waiting == 1 }
      refute_predicate(actor, :alive?)
      assert_raises(Raffia::ActorDied) { actor.echo(1) }
      refute(actor.kill)
      gate.push(true)
      assert_equal("boom", assert_raises(RuntimeError) { failing.value }.message)
    end
  end

  def test_kill_runs_what_is_to_be_run
    with_actors do
      events = Thread::Queue.new
      actor = puppet(events)
      actor.async.perform do
        events.push(:begun)
        sleep
      ensure
        events.push(:ensured)
      end
      assert_equal(%i[start begun], [events.pop, events.pop])
      actor.kill(:enough)
      actor.join
      assert_equal([:ensured, [:stop, :enough]], [events.pop, events.pop])
      assert_empty(events)
    end
  end

  def test_it_can_kill_itself
    with_actors do
      actor = puppet
      future = actor.future.perform { ref.kill(:by_itself) && sleep }
      assert_equal(:by_itself, assert_raises(Raffia::ActorDied) { future.value }.reason)
      actor.join
      assert_equal(:by_itself, actor.reason)
    end
  end

  def test_it_cannot_wait_for_its_own_end
    with_actors { assert_raises(Raffia::CallCycle) { puppet.perform { ref.join } } }
  end

  def test_killed_while_it_begins
    with_actors do
      events = Thread::Queue.new
      starting = aside { spawn(Slow, events, name: :slow) }
      events.pop
      Raffia::Actor[:slow].kill
      assert_equal(:killed, assert_raises(Raffia::ActorDied) { starting.value }.reason)
      assert_nil(Raffia::Actor[:slow])
    end
  end

  class Slow < Raffia::Actor
    def initialize(events)
      events.push(:begun)
      sleep
    end
  end

  def test_messages_and_stop_that_come_while_it_begins_are_kept
    with_actors do
      gate = Thread::Queue.new
      starting = aside { spawn(Gated, gate, name: :gated) }
      wait_until { gate.num_waiting == 1 }
      actor = Raffia::Actor[:gated]
      answer = actor.future.echo(1)
      actor.stop
      gate.push(true)
      assert_equal(1, answer.value)
      assert_equal(actor, starting.value.join)
    end
  end

  class Gated < Raffia::Actor
    def initialize(gate) = gate.pop

    def echo(value) = value
  end

  # --- full mailboxes

  def busy(**)
    gate = Thread::Queue.new
    actor = puppet(Thread::Queue.new, mailbox: 2, **)
    first = actor.future.perform { gate.pop }
    wait_until { gate.num_waiting == 1 }
    2.times { |n| actor.async.note(n) }
    yield actor
    gate.push(true)
    first.value
  end

  def notes(actor) = actor.perform { Array.new(@events.size) { @events.pop } } - [:start]

  def test_full_and_rejecting
    with_actors do
      kept = nil
      busy(when_full: :reject) do |actor|
        assert_equal(2, assert_raises(Raffia::Full) { (kept = actor).async.note(:more) }.limit)
      end
      wait_until { kept.stats[:mailbox].zero? }
      assert_equal([0, 1], notes(kept))
    end
  end

  def test_full_and_dropping
    with_actors do
      {drop_newest: [0, 1], drop_oldest: [1, :more]}.each do |policy, left|
        kept = nil
        busy(when_full: policy) do |actor|
          (kept = actor).async.note(:more)
          assert_equal(1, actor.stats[:dropped])
          assert_raises(Raffia::Full) { actor.future.echo(1).value } if policy == :drop_newest
        end
        wait_until { kept.stats[:mailbox].zero? }
        assert_equal(left, notes(kept))
      end
    end
  end

  def test_a_full_mailbox_keeps_timers
    with_actors do
      rung, gate = Array.new(2) { Thread::Queue.new }
      actor = puppet(Thread::Queue.new, mailbox: 1, when_full: :drop_oldest)
      actor.perform { every(0.01) { rung << true } && nil }
      first = actor.future.perform { gate.pop }
      wait_until { gate.num_waiting == 1 && actor.stats[:mailbox] == 1 }
      2.times { |n| actor.async.note(n) }

      assert_equal([1, 2], actor.stats.values_at(:dropped, :mailbox))
      rung.clear
      gate.push(true)
      first.value
      2.times { assert(rung.pop(timeout: 60)) }
    end
  end

  class Tidy < Raffia::Actor
    def finish(entered, gate, done)
      Raffia.shield do
        entered << true
        gate.pop
        done << true
      end
      sleep
    end
  end

  def test_what_is_shielded_is_done_although_its_actor_is_killed
    need_cruby("JRuby's Thread.handle_interrupt lets through what comes at the beginning of a wait")
    with_actors do
      entered, gate, done = Array.new(3) { Thread::Queue.new }
      tidy = spawn(Tidy)
      future = tidy.future.finish(entered, gate, done)
      entered.pop
      assert(tidy.kill)
      gate << true
      assert(done.pop(timeout: Raffia::TestCase::PATIENCE))
      assert_raises(Raffia::ActorDied) { future.value }
      tidy.join
    end
  end

  def test_a_full_mailbox_keeps_a_stop
    with_actors do
      gate = Thread::Queue.new
      tree = Raffia::Supervisor.spawn do |children|
        children.child(Puppet, Thread::Queue.new, name: :full, restart: :temporary, on: place,
          mailbox: 1, when_full: :drop_oldest)
      end
      actor = Raffia::Actor[:full]
      first = actor.future.perform { gate.pop }
      wait_until { gate.num_waiting == 1 }
      actor.stop
      actor.async.note(1)
      gate.push(true)
      first.value

      assert(actor.join(60))
      tree.stop
      tree.join
    end
  end

  def test_full_and_waiting
    with_actors do
      kept = nil
      senders = nil
      busy do |actor|
        kept = actor
        senders = [2, 3, 4].map do |n|
          aside { actor.async.note(n) }.tap { wait_until { waiting(actor) == n - 1 } }
        end
        assert_raises(Raffia::TimeoutError) { Raffia.timeout(0.01) { actor.note(:late) } }
      end
      senders.each(&:join)
      wait_until { kept.stats[:mailbox].zero? }
      assert_equal([0, 1, 2, 3, 4], notes(kept))
    end
  end

  def waiting(actor)
    actor.raffia_core.mailbox.senders
  end

  def test_senders_that_wait_get_the_end_of_the_actor
    with_actors do
      gate = Thread::Queue.new
      actor = puppet(mailbox: 1)
      actor.async.perform { gate.pop }
      wait_until { gate.num_waiting == 1 }
      actor.async.echo(1)
      sender = aside { actor.async.echo(2) }
      wait_until { waiting(actor) == 1 }
      actor.kill
      assert_raises(Raffia::ActorDied) { sender.value }
    end
  end

  def test_an_actor_does_not_wait_for_room_in_its_own_mailbox
    with_actors do
      actor = puppet(mailbox: 1)
      assert_raises(Raffia::Full) { actor.perform { 2.times { ref.async.echo(1) } } }
    end
  end
end
