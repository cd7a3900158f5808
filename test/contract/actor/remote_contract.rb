# frozen_string_literal: true

require_relative "../../test_helper"
require "logger"
require "raffia/actor"

# An actor for the tests of places that are elsewhere. It is at the top, where any Ractor finds what
# its methods name.
class RemoteLedger < Raffia::Actor
  options expects: [KeyError]
  reentrant :sum

  def initialize(sum = 0, others: []) = (@sum, @others, @seen = sum, others, [])

  def on_restart(reason) = @why = reason

  attr_reader :sum, :seen, :why

  def add(number) = @sum += number
  def pid = ::Process.pid
  def boom = raise("boom")
  def expected = raise(KeyError, "only yours")
  def no = refuse("not today")
  def block = proc {}
  def strange = raise(Class.new(StandardError), "nameless")
  def echo(value) = value
  def nap(seconds) = sleep(seconds)

  def spin(seconds)
    Raffia::Clock.now.then { |start| nil while Raffia::Clock.now - start < seconds }
  end

  def spin_beside(path) = (nil while File.exist?(path))
  def me = ref
  def add_to(other, number) = other.add(number)
  def add_to_inherited(number) = @others.sum { |other| other.add(number) }
  def async_to(other, number) = other.async.add(number)
  def future_of(other, number) = other.future.add(number).value
  def future_nap(other, seconds) = other.future.nap(seconds).value
  def flood(other, number) = number.times { other.async.add(1) }
  def by_name(name, number) = Raffia::Actor[name].add(number)
  def relay(other, one) = other.add_to(one, 1)
  def future_relay(other, one) = other.future.add_to(one, 1).value
  def future_sum_by(other) = other.future.sum_of(ref).value
  def sum_by(other) = other.sum_of(ref)
  def sum_of(other) = other.sum
  def watch(other) = monitor(other) { |who, reason| @seen << [who, reason] } && nil
  def bind(other) = link(other)
  def bind_own = (@own = RemoteLedger.spawn(1, link: true))
  def news(topic, text) = @seen << [topic, text]
  def hear = subscribe("news.*", :news)
  def hear_by_block = subscribe("news.*") { |_, text| @seen << text } && nil
  def publish(topic, text) = Raffia::Actor.publish(topic, text)
  def tick = after(0.01) { @seen << :tick } && nil
  def ticks = (@timer = every(0.01) { @seen << :tick }) && nil
  def hush = @timer.cancel
  def hushed? = @timer.cancelled?
  def deafen = unsubscribe("news.*")
  def wait_for(other, times) = Array.new(times) { Thread.new { other.join } }.each(&:join).size
  def later = (@waiting = answer_later) && nil
  def now(value) = @waiting.settle(value)
  def leave = exit!(7)
  def child = RemoteLedger.spawn(1, on: :processes).then { |one| [one.pid, one.add(2)] }
  def cascade(other) = RemoteLedger.spawn(on: :processes).add_to(other, 3)

  def cascade_inherited(number)
    [@others.first.add(number),
      RemoteLedger.spawn(others: @others, on: :processes).add_to_inherited(4)]
  end

  def own = RemoteLedger.spawn(40)
  def another = (@kept ||= []).push(RemoteLedger.spawn).last
  def on_exit(who, reason) = @seen << [who, reason]
  def print(words) = $stdout.puts(words)
  def on_stop(reason) = (@others.first.async.echo(reason) if @sum == -1)
end

# Contract of actors whose objects live elsewhere. A test case says where: `place`.
module ActorRemoteContract
  def setup
    @spawned = []
    @log = Raffia::Actor.log
    Raffia::Actor.log = Logger.new(File::NULL) # of errors that nobody waits for
  end

  def teardown
    @spawned.each(&:kill)
    @spawned.each(&:join)
    Raffia::Actor.log = @log
    super
  end

  def spawn(*arguments, on: place, **keywords)
    RemoteLedger.spawn(*arguments, on: on, **keywords).tap { |ref| @spawned << ref }
  end

  def here = spawn(100, on: :fibers)

  def wait_until
    limit = Raffia::Clock.now + Raffia::TestCase::PATIENCE
    until yield
      flunk "it did not come about" if Raffia::Clock.now > limit
      sleep 0.005
    end
  end

  def test_messages_keep_their_order
    ref = spawn
    100.times { |number| ref.async.echo(number) }
    futures = Array.new(100) { |number| ref.future.add(number) }

    assert_equal (0...100).sum, futures.map(&:value).last
    assert_equal 200, ref.stats[:handled]
  end

  def test_long_strings_and_what_a_pipe_does_not_hold
    ref = spawn
    string = "x" * 3_000_000
    value = {long: string, list: [string, "y" * 70_000], number: 1}

    assert_equal value, ref.echo(value)
    assert_equal [nil, :a, 1.5], ref.echo([nil, :a, 1.5])
  end

  def test_errors_are_raised_in_the_caller
    ref = spawn

    assert_equal "only yours", assert_raises(KeyError) { ref.expected }.message
    assert_equal "not today", assert_raises(Raffia::Error) { ref.no }.message
    assert_raises(NoMethodError) { ref.nothing }
    assert_predicate ref, :alive?
    assert_equal "boom", assert_raises(RuntimeError) { ref.boom }.message
    assert_equal :dead, ref.join(Raffia::TestCase::PATIENCE).status
    assert_equal "boom", ref.reason.message
  end

  def test_what_cannot_be_dumped_is_the_callers_alone
    ref = spawn(5)

    assert_match(/Proc/, assert_raises(Raffia::NotDumpable) { ref.echo(proc {}) }.message)
    assert_match(/Proc/, assert_raises(Raffia::NotDumpable) { ref.block }.message)
    assert_raises(Raffia::NotDumpable) { ref.call(:echo, 1) { nil } }
    assert_equal 6, ref.add(1)
  end

  def test_an_error_that_cannot_be_dumped_arrives_as_words
    error = assert_raises(Raffia::NotDumpable) { spawn.strange }

    assert_match(/nameless/, error.message)
  end

  def test_an_error_in_initialize_is_the_spawners
    failing = Class.new(Raffia::Actor) { def initialize = raise(ArgumentError, "no such ledger") }

    assert_equal "no such ledger", assert_raises(ArgumentError) { failing.spawn(on: :processes) }
      .message
  end

  def test_refs_are_arguments_and_results
    ref = spawn
    other = here

    assert_equal 101, ref.add_to(other, 1)
    assert_equal ref, ref.me
    assert_same other, ref.echo([other]).first
    assert_equal 103, ref.future_of(other, 2)
    ref.async_to(other, 4)
    assert_equal 107, other.sum
  end

  def test_children_ask_each_other
    one, other = spawn(1), spawn(10)

    assert_equal 12, one.add_to(other, 2)
    assert_equal 2, other.relay(spawn, one)
  end

  def test_names_are_looked_up_where_it_was_spawned
    name = :"ledger_#{object_id}"
    spawn(1, on: :fibers, name: name)

    assert_equal 6, spawn.by_name(name, 5)
  end

  def test_calls_in_a_circle_are_found_across_processes
    one, other = spawn, spawn
    error = assert_raises(Raffia::CallCycle) { one.relay(other, one) }

    assert_equal error.calls.first, error.calls.last[/.*#/] + "relay"
  end

  def test_a_circle_through_a_future
    one, other = spawn, spawn

    assert_raises(Raffia::CallCycle) { one.future_relay(other, one) }
    assert_equal 4, spawn(4).future_sum_by(spawn)
  end

  def test_a_reentrant_actor_that_waits_for_a_remote_future_can_be_called
    own, waiting = spawn.own, here
    nap = waiting.future.future_nap(own, 0.2)
    wait_until { waiting.stats[:handled] == 1 }

    assert_equal 100, here.sum_of(waiting)
    nap.value
  end

  # Its answer comes through the connection by which others send it more than it has room for.
  def test_a_sender_that_waits_for_room_delays_no_other
    asked, full = spawn, spawn(on: :fibers, mailbox: 1)
    own = asked.own
    waiting = full.future.future_nap(asked, 0.3)
    wait_until { full.stats[:handled] == 1 }
    flooding = own.future.flood(full, 5)

    assert waiting.wait(Raffia::TestCase::PATIENCE)
    assert_equal 5, flooding.value(Raffia::TestCase::PATIENCE)
    assert_equal 5, full.sum
  end

  def test_a_reentrant_method_runs_while_its_object_waits
    one, other = spawn(7), spawn

    assert_equal 7, one.sum_by(other)
  end

  def test_monitors_and_links
    ref, other, third = spawn, here, spawn(on: :fibers)
    ref.watch(other)
    ref.bind(third)
    other.kill(:enough)

    wait_until { ref.seen.any? }
    assert_equal [[other, :enough]], ref.seen
    third.kill(:gone)
    assert ref.join(Raffia::TestCase::PATIENCE)
    assert_equal :gone, ref.reason
  end

  def test_reasons_that_cannot_be_dumped_arrive_as_text
    ref, third, received = spawn, spawn(-1, others: [here]), here
    ref.watch(received)
    received.kill(proc {})

    wait_until { ref.seen.any? }
    assert_match(/Proc/, ref.seen.last.last)
    assert third.stop(proc {})
    assert third.join(Raffia::TestCase::PATIENCE)
    wait_until { @spawned[1].stats[:handled] == 1 } # its on_stop ran
  end

  def test_why_one_ended_that_lives_there_is_asked_there
    one = spawn.another
    assert_nil one.reason
    one.kill(:gone)

    assert one.join(Raffia::TestCase::PATIENCE)
    assert_equal :gone, one.reason
  end

  def test_links_with_actors_of_its_own
    ref = spawn
    own = ref.bind_own
    own.kill(:gone)

    assert ref.join(Raffia::TestCase::PATIENCE)
    assert_equal :gone, ref.reason
    ref = spawn
    own = ref.bind_own
    outside = here
    outside.bind(own)
    ref.kill(:over)

    assert outside.join(Raffia::TestCase::PATIENCE)
  end

  def test_links_with_actors_that_live_there
    asked = spawn
    ours = [here, here]
    theirs = Array.new(2) { asked.another }
    ours[0].bind(theirs[0])
    theirs[1].bind(ours[1])
    [ours[0], theirs[1]].each { |one| one.kill(:gone) }

    [ours[1], theirs[0]].each { |one| assert one.join(Raffia::TestCase::PATIENCE) }
    assert_equal :gone, ours[1].reason
    assert_predicate asked, :alive?
    trapping, both = spawn(on: :fibers, trap_exit: true), asked.another
    trapping.bind(both)
    both.bind(trapping)
    both.kill(:gone)
    wait_until { trapping.seen.any? }
    asked.sum

    assert_equal [[both, :gone]], trapping.seen
  end

  def test_topics
    ref, other, outside = spawn, spawn, here
    [ref, outside].each(&:hear)
    other.hear_by_block

    assert_equal 3, Raffia::Actor.publish("news.today", "rain")
    assert_equal [["news.today", "rain"]], ref.seen
    assert_equal ["rain"], other.seen
    assert_equal 3, ref.publish("news.today", "sun")
    assert_equal "sun", other.seen.last
    assert_equal ["news.today", "sun"], outside.seen.last
  end

  def test_blocks_that_are_not_subscribed_any_more
    ref, deaf = spawn, spawn
    deaf.hear_by_block
    deaf.deafen
    ref.hear_by_block

    assert_equal 1, Raffia::Actor.publish("news.today", "rain")
    assert_equal [["rain"], []], [ref.seen, deaf.seen]
  end

  def test_a_fresh_object_takes_the_place_of_one_that_fails
    tree = Class.new(Raffia::Supervisor) { strategy :one_for_one, intensity: 100, period: 1 }.spawn
    @spawned << tree
    ref = tree.start_child(RemoteLedger, 5, on: place)
    assert_equal 6, ref.add(1)
    assert_raises(RuntimeError) { ref.boom }
    assert_equal 7, ref.add(2)
    assert_equal 1, ref.stats[:restarts]
    assert_equal "boom", ref.why.message
  end

  def test_nothing_is_left_behind
    spawn.add(1) # what the process keeps for all of them is there now
    assert_no_leaks do
      refs = Array.new(3) { spawn }
      refs.each { |ref| ref.add(1) }
      refs.first.stop
      refs[1].kill
      assert_raises(RuntimeError) { refs.last.boom }
      refs.each(&:join)
      Raffia::Actor.shutdown
    end
  end

  def test_timers
    ref = spawn
    ref.tick
    wait_until { ref.seen == [:tick] }
    ref.ticks
    wait_until { ref.seen.size > 3 }
    refute_predicate ref, :hushed?
    ref.hush
    assert_predicate ref, :hushed?
    assert_predicate ref, :alive?
  end

  def test_answers_that_are_given_later
    ref = spawn
    answer = ref.future.later
    ref.sum

    assert_equal :pending, answer.status
    ref.now(3)
    assert_equal 3, answer.value
    lost = ref.future.later
    ref.sum
    ref.stop
    assert_raises(Raffia::ActorDied) { lost.value(Raffia::TestCase::PATIENCE) }
  end

  def test_a_call_whose_time_is_up_leaves_the_actor_alone
    ref = spawn

    assert_raises(Raffia::TimeoutError) { Raffia.timeout(0.05) { ref.nap(60) } }
    assert_equal 1, ref.add(1)
    assert_raises(Raffia::TimeoutError) { Raffia.timeout(0.05) { ref.spin(0.3) } }
    assert_equal [2, 3], [ref.add(1), ref.add(1)]
  end

  def test_stop_does_what_waits_first
    received = here
    ref = spawn(-2, others: [received])
    futures = Array.new(20) { ref.future.add(0) }
    ref.async.add(1)

    assert ref.stop
    assert ref.join(Raffia::TestCase::PATIENCE)
    assert_equal [-2] * 20, futures.map(&:value)
    wait_until { received.stats[:handled] == 1 } # on_stop ran in the child
  end

  def test_an_actor_that_the_child_spawned_for_itself
    ref = spawn
    own = ref.own

    assert_equal 42, own.add(2)
    assert_equal 43, spawn.add_to(own, 1)
    assert_same own, ref.echo(own)
    ref.kill
    ref.join
    wait_until { !own.alive? }
    assert_raises(Raffia::ActorDied) { own.sum }
  end
end
