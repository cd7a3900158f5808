# frozen_string_literal: true

require_relative "actor_case"

# Contract of actors on each executor: nothing here needs memory that the test and the
# actor share.
module ActorContract
  include ActorCase

  # A queue: pop waits for a push. Unlike a Thread::Queue it can be reached from another process or
  # Ractor.
  class Gate < Raffia::Actor
    def initialize
      @waiting = []
      @items = []
    end

    def pop = @items.empty? ? @waiting << answer_later : @items.shift

    def push(item) = @waiting.empty? ? @items << item : @waiting.shift.settle(item)
  end

  class Counter < Raffia::Actor
    options expects: [KeyError]

    def initialize(start = 0, step: 1)
      @count = start
      @step = step
    end

    attr_reader :count

    def add(number = @step) = @count += number
    def list(*all, **named) = [all, named]
    def named(first, second = :none, key:, other: nil) = [first, second, key, other]
    def collect(item) = (@items ||= []).push(item).size
    attr_reader :items
    def fail_with(message) = raise(ArgumentError, message)
    def expected = {}.fetch(:missing)
    def deny = refuse("not you")
    def deny_with = refuse(IndexError.new("no such thing"))
    def nap(seconds) = sleep(seconds)
    def hold(gate) = gate.pop
    def where_am_i = Raffia::Actor.current == ref
    def halt(reason = :normal) = stop(reason)

    private

    def secret = 1
  end

  # --- calls

  def test_a_call_returns_what_the_method_returns
    with_actors do
      counter = spawn(Counter, 10)
      assert_equal(11, counter.add)
      assert_equal(16, counter.add(5))
      assert_equal(16, counter.call(:count))
      assert_equal([[1, 2], {a: 3}], counter.list(1, 2, a: 3))
      assert_equal([1, :none, 2, nil], counter.named(1, key: 2))
      assert(counter.where_am_i)
    end
  end

  def test_initialize_gets_arguments_and_keywords
    with_actors { assert_equal(7, spawn(Counter, 5, step: 2).add) }
  end

  def test_messages_are_handled_in_the_order_in_which_they_were_sent
    with_actors do
      counter = spawn(Counter)
      300.times { |n| (n % 3).zero? ? counter.future.collect(n) : counter.async.collect(n) }
      assert_equal(301, counter.collect(300))
      assert_equal((0..300).to_a, counter.items)
    end
  end

  def test_async_returns_nothing_and_a_future_returns_later
    with_actors do
      counter = spawn(Counter)
      assert_nil(counter.async.add(2))
      future = counter.future.add(3)
      assert_equal(5, future.value)
      assert_equal(5, future.value)
      assert_equal(:done, future.status)
      assert_equal(50, counter.future.count.then { |count| count * 10 }.value)
    end
  end

  def test_what_cannot_be_asked_is_the_callers_error
    with_actors do
      counter = spawn(Counter)
      assert_match(/no public method sub/, assert_raises(NoMethodError) { counter.sub(1) }.message)
      assert_raises(NoMethodError) { counter.async.secret }
      assert_raises(NoMethodError) { counter.call(:on_stop, nil) }
      assert_equal("wrong number of arguments (given 2, expected 0..1)",
        assert_raises(ArgumentError) { counter.add(1, 2) }.message)
      assert_equal("missing keyword: :key",
        assert_raises(ArgumentError) { counter.named(1) }.message)
      assert_equal("unknown keyword: :nope",
        assert_raises(ArgumentError) { counter.future.named(1, key: 1, nope: 2) }.message)
      assert_respond_to(counter, :add)
      refute_respond_to(counter, :secret)
      assert_predicate(counter, :alive?)
    end
  end

  # --- errors

  def test_an_error_is_raised_in_the_caller_and_ends_the_actor
    with_actors do
      counter = spawn(Counter)
      error = assert_raises(ArgumentError) { counter.fail_with("boom") }
      assert_equal("boom", error.message)
      refute_predicate(counter, :alive?)
      died = assert_raises(Raffia::ActorDied) { counter.add }
      assert_equal([counter, "boom"], [died.ref, died.cause.message])
      assert_equal(counter, counter.join)
      assert_equal(:dead, counter.status)
    end
  end

  def test_a_failing_actor_answers_its_callers
    with_actors do
      counter = spawn(Counter)
      held = counter.future.hold(gate = Gate.spawn)
      failing = counter.future.fail_with("boom")
      waiting = counter.future.add
      gate.push(:open)
      assert_equal("boom", assert_raises(Raffia::ActorDied) { waiting.value }.cause.message)
      assert_raises(ArgumentError) { failing.value }
      assert_equal(:open, held.value)
    end
  end

  def test_an_error_without_a_caller_is_logged
    with_actors do
      counter = spawn(Counter)
      counter.async.fail_with("unheard of")
      counter.join
      assert_match(/Counter#\d+#fail_with failed.*unheard of/m, logged)
    end
  end

  def test_errors_that_are_the_callers_alone
    with_actors do
      counter = spawn(Counter)
      assert_raises(KeyError) { counter.expected }
      assert_equal("not you", assert_raises(Raffia::Error) { counter.deny }.message)
      assert_raises(IndexError) { counter.future.deny_with.value }
      assert_equal(1, counter.add)
    end
  end

  def test_initialize_that_fails_fails_the_spawn
    with_actors do
      assert_raises(TypeError) { spawn(Broken, name: :broken) }
      assert_nil(Raffia::Actor[:broken])
      assert_raises(ArgumentError) { spawn(Counter, 1, 2, 3) }
    end
  end

  class Broken < Raffia::Actor
    def initialize = raise(TypeError, "not today")
  end

  # --- ends

  def test_stop_lets_it_finish_what_waits
    with_actors do
      counter = spawn(Counter)
      counter.async.nap(0.01)
      last = counter.future.add
      assert(counter.stop)
      refute(counter.stop)
      assert_raises(Raffia::ActorDied) { counter.add }
      assert_equal(1, last.value)
      assert_equal(counter, counter.join)
      assert_equal(:normal, counter.reason)
    end
  end

  def test_kill_breaks_off_what_waits
    with_actors do
      counter = spawn(Counter)
      nap = counter.future.nap(600)
      behind = counter.future.add
      wait_until { counter.stats[:handled] == 1 }
      assert(counter.kill)
      refute(counter.kill)
      [nap, behind].each do |future|
        assert_equal(:killed, assert_raises(Raffia::ActorDied) { future.value }.reason)
      end
      assert_equal(counter, counter.join)
    end
  end

  def test_kill_without_work
    with_actors do
      counter = spawn(Counter)
      assert(counter.kill(:enough))
      counter.join
      assert_equal(:enough, counter.reason)
      assert_raises(Raffia::ActorDied) { counter.add }
      refute(counter.stop)
    end
  end

  def test_stop_from_inside
    with_actors do
      counter = spawn(Counter)
      assert_equal(true, counter.halt(:done))
      counter.join
      assert_equal(:done, counter.reason)
    end
  end

  def test_join_does_not_wait_longer_than_it_may
    with_actors { assert_nil(spawn(Counter).join(0)) }
  end

  # --- deadlines

  def test_the_callers_deadline_holds_in_the_actor_which_lives_on
    with_actors do
      counter = spawn(Counter)
      assert_raises(Raffia::TimeoutError) { Raffia.timeout(0.05) { counter.nap(600) } }
      assert_equal(1, counter.add)
    end
  end

  def test_a_message_whose_time_is_over_is_not_begun
    with_actors do
      counter = spawn(Counter)
      held = counter.future.hold(gate = Gate.spawn)
      assert_raises(Raffia::TimeoutError) { Raffia.timeout(0.01) { counter.collect(1) } }
      gate.push(:open)
      held.value
      assert_nil(counter.items)
    end
  end

  def test_call_timeout
    with_actors do
      counter = spawn(Counter, call_timeout: 0.05)
      assert_equal(0.05, assert_raises(Raffia::TimeoutError) { counter.nap(600) }.seconds)
      assert_raises(Raffia::TimeoutError) { counter.future.nap(600).value }
      assert_predicate(counter, :alive?)
    end
  end

  def test_a_cancelled_future_is_not_begun
    with_actors do
      counter = spawn(Counter)
      held = counter.future.hold(gate = Gate.spawn)
      future = counter.future.collect(1)
      assert(future.cancel(:changed_my_mind))
      gate.push(:open)
      held.value
      assert_equal(:changed_my_mind, assert_raises(Raffia::Cancelled) { future.value }.reason)
      assert_nil(counter.items)
    end
  end

  # --- names

  def test_names
    with_actors do
      counter = spawn(Counter, 3, name: :counter)
      assert_equal(counter, Raffia::Actor[:counter])
      assert_equal(3, Raffia::Actor[:counter].count)
      assert_includes(Raffia::Actor.names, :counter)
      assert_match(/the name :counter belongs to/,
        assert_raises(Raffia::Rejected) { spawn(Counter, name: :counter) }.message)
      counter.kill
      counter.join
      assert_nil(Raffia::Actor[:counter])
      assert_equal(0, spawn(Counter, name: :counter).count)
    end
  end
end
