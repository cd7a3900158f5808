# frozen_string_literal: true

require_relative "durable_case"

# Durable functions: steps, waits, branches, children.
class JobsDurableTest < JobsDurableCase
  def test_a_function_returns_its_result_and_each_step_is_executed_once
    made = function do |number|
      first = step(:first) { EFFECTS << :first && number + 1 }
      sleep_for 0.05
      second = step(:second) { EFFECTS << :second && {"sum" => first} }
      EFFECTS << :outside
      second
    end
    work
    id = made.start(1)
    assert_equal({"sum" => 2}, result(id))
    assert_equal(%i[first second outside], effects)
    assert_equal(["step first", "sleep sleep", "step second"], steps(id))
    await_counts(queue: 0, running: 0, scheduled: 0)
    assert_equal("done", Durable.status(id))
  end

  def test_a_step_has_the_same_key_in_each_attempt
    made = function(:Function) do
      step(:one) { |s| EFFECTS << s.key && raise("once") if EFFECTS.size < 2 }
    end
    made.retry_in { 0 }
    work
    id = made.start
    result(id)
    keys = effects
    assert_equal(2, keys.size)
    assert_equal(1, keys.uniq.size)
    assert_match(/\A\h{32}\z/, keys.first)
  end

  def test_a_failure_after_a_recorded_step_is_the_first_one_again
    made = function(retry: 1) do
      3.times do |n|
        step(:part, n) do
          EFFECTS << n
          raise "once" if EFFECTS.size.odd?
        end
      end
    end
    made.retry_in { 0 }
    work
    result(made.start)
    assert_equal([0, 0, 1, 1, 2, 2], effects)
  end

  def test_a_function_waits_for_a_signal_and_takes_its_payload
    made = function { wait_for(:confirmed) }
    work
    id = made.start
    await_status(id, "waiting")
    await_counts(scheduled: 1, running: 0)
    assert(Durable.signal(id, :confirmed, {"by" => ["me"]}, key: "a"))
    refute(Durable.signal(id, :confirmed, 2, key: "a"))
    assert_equal({"by" => ["me"]}, result(id))
  end

  def test_a_wait_ends_after_its_timeout
    made = function do
      [wait_for(:never, timeout: 0.05), wait_for(:never, timeout: 0.05) { "late" }]
    end
    work
    assert_equal([nil, "late"], result(made.start))
  end

  def test_branches_run_side_by_side_and_wait_together
    made = function do
      parallel([1, 2, 3]) do |number|
        step(:begin, number) { EFFECTS << number && nil }
        answer = wait_for("go#{number}")
        step(:end, number) { EFFECTS << -number && nil }
        answer
      end
    end
    work
    id = made.start
    await_status(id, "waiting")
    assert_equal([1, 2, 3], effects.sort)
    [3, 1, 2].each { |number| Durable.signal(id, "go#{number}", number * 10) }
    assert_equal([10, 20, 30], result(id))
    assert_equal([-3, -2, -1], effects.sort)
  end

  def test_the_first_failure_of_branches_is_raised_when_all_have_ended
    made = function(retry: false) do
      parallel([-> { raise "first" }, -> { step(:other) { EFFECTS << :other && nil } }])
    end
    work
    id = made.start
    await_status(id, "failed")
    assert_equal([:other], effects)
    assert_equal(["step other"], steps(id))
  end

  def test_a_child_returns_its_result
    function(:Child) { |number| step(:double) { number * 2 } }
    made = function { |number| child(Child, number, priority: 3) }
    work
    assert_equal(14, result(made.start(7)))
  end

  def test_a_child_that_fails_fails_its_parent_with_the_reason
    function(:Child, retry: 0) { raise "no money" }
    made = function do
      child(Child)
    rescue Raffia::Durable::FlowFailed => error
      [error.status, error.message[/has failed: .*/]]
    end
    work
    assert_equal(["failed", "has failed: RuntimeError: no money"], result(made.start))
  end

  def test_time_random_and_uuid_are_recorded
    made = function do
      values = [now.to_f, random(100), random, uuid]
      sleep_for 0.02
      step(:seen) { EFFECTS << values && nil }
      values
    end
    work
    id = made.start
    assert_equal(result(id), effects.first)
    assert_in_delta(Time.now.to_f, effects.first&.first || @store.now, 60)
  end

  def test_a_published_value_can_be_queried
    made = function do
      publish({"done" => 1})
      wait_for(:go)
    end
    work
    id = made.start
    await_status(id, "waiting")
    assert_equal({"done" => 1}, Durable.query(id))
  end

  def test_a_function_continues_anew_with_other_arguments
    made = function do |left, sum|
      sum += step(:add) { left }
      continue_as_new(left - 1, sum) if left > 1
      sum
    end
    work
    id = made.start(4, 0)
    assert_equal(10, result(id))
    assert_equal([4, 1], @store.flow(id).values_at("run", "steps"))
  end

  def test_functions_run_on_threads_too
    made = function(on: :threads) do
      first = step(:one) { Thread.current.equal?(Thread.main) }
      sleep_for 0.02
      [first, parallel([1, 2]) { |number| step(:two, number) { number } }]
    end
    work
    assert_equal([false, [1, 2]], result(made.start))
  end

  def test_an_error_that_is_final_is_recorded
    made = function do
      step(:charge, final: [KeyError]) { EFFECTS << :charge && {}.fetch(:card) }
    rescue Raffia::Durable::StepFailed => error
      sleep_for 0.02
      [error.error_class, error.message]
    end
    work
    error_class, message = result(made.start)
    assert_equal("KeyError", error_class)
    assert_match(/step charge failed: key not found: :card \(KeyError\)/, message)
    assert_equal([:charge], effects)
  end

  def test_a_drain_of_tests_runs_functions_until_they_wait
    require "raffia/jobs/testing"
    made = function do
      step(:one) { EFFECTS << 1 && nil }
      wait_for(:go)
    end
    Raffia::Jobs::Testing.fake do
      id = made.start
      made.drain
      assert_equal("waiting", Durable.status(id))
      Durable.signal(id, :go, 5)
      made.drain
      assert_equal(5, Durable.result(id))
    end
    assert_equal([1], effects)
  end
end
