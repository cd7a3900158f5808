# frozen_string_literal: true

require_relative "durable_case"

# Durable functions: changed code, cancels, limits, mistakes.
class JobsDurableErrorsTest < JobsDurableCase
  def test_code_that_took_another_way_is_stuck_and_goes_on_when_it_fits
    body = proc do
      step(:one) { EFFECTS << 1 && 1 }
      wait_for(:go)
    end
    made = function(retry: 0, &body)
    work
    id = made.start
    await_status(id, "waiting")
    made.define_method(:call) do
      step(:other) { EFFECTS << 2 }
      wait_for(:go)
    end
    Durable.signal(id, :go, 7)
    await_status(id, "stuck")
    assert_match(/step 0 was recorded as step one, and the code now does step other: run the code/,
      Durable.flow(id)["error"])
    assert_nil(only(:scheduled)["retry_count"])
    made.define_method(:call, &body)
    hurry
    assert_equal(7, result(id))
    assert_equal([1], effects)
  end

  def test_code_that_ends_before_its_recorded_steps_is_stuck
    made = function { step(:one) { 1 } && wait_for(:go) }
    work
    id = made.start
    await_status(id, "waiting")
    made.define_method(:call) { step(:one) { 1 } }
    Durable.signal(id, :go)
    await_status(id, "stuck")
    assert_match(/ended before step 1, which was recorded as wait go/, Durable.flow(id)["error"])
  end

  def test_a_rescue_does_not_hide_that_code_took_another_way
    made = function { step(:one) { 1 } && wait_for(:go) }
    work
    id = made.start
    await_status(id, "waiting")
    made.define_method(:call) do
      step(:other) { 1 }
    rescue
      step(:third) { EFFECTS << 3 }
    end
    Durable.signal(id, :go)
    await_status(id, "stuck")
    assert_empty(effects)
  end

  def test_a_patch_keeps_running_functions_on_their_way
    made = function { wait_for(:go) && step(:old) { "old" } }
    work
    before = made.start
    await_status(before, "waiting")
    made.define_method(:call) do
      patched = patch(:new)
      wait_for(:go) && (patched ? step(:new) { "new" } : step(:old) { "old" })
    end
    after = made.start
    await_status(after, "waiting")
    [before, after].each { |id| Durable.signal(id, :go, 1) }
    assert_equal(%w[old new], [result(before), result(after)])
    made.define_method(:call) do
      deprecate_patch(:new)
      wait_for(:go) && step(:new) { "newest" }
    end
    last = made.start
    Durable.signal(last, :go, 1)
    assert_equal("newest", result(last))
    assert_equal(["wait go", "step new"], steps(last))
  end

  def test_a_cancelled_function_cleans_up_under_a_shield
    made = function do
      step(:one) { 1 }
      wait_for(:go)
    ensure
      shield { step(:undo) { EFFECTS << :undo && nil } }
    end
    work
    id = made.start
    await_status(id, "waiting")
    assert(Durable.cancel(id))
    await_status(id, "cancelled")
    assert_equal([:undo], effects)
    error = assert_raises(Durable::FlowFailed) { result(id) }
    assert_equal("cancelled", error.status)
    refute(Durable.cancel(id))
    await_counts(running: 0, scheduled: 0, dead: 0)
  end

  def test_a_cancel_reaches_the_children
    function(:Child) { wait_for(:go) }
    made = function { child(Child) }
    work
    id = made.start
    wait_until { @store.flows(status: "waiting").size == 2 }
    Durable.cancel(id)
    wait_until { @store.flows(status: "cancelled").size == 2 }
  end

  def test_a_result_that_json_would_change_fails_without_a_retry
    made = function { step(:one) { EFFECTS << 1 && :symbol } }
    work
    id = made.start
    await_status(id, "failed")
    assert_match(/the result of one holds :symbol \(Symbol\), which JSON would not give back/,
      only(:dead)["error_message"])
    assert_equal([1], effects)
    assert_match(/BadResult: the result of one/, Durable.flow(id)["error"])
  end

  def test_a_result_of_the_function_that_json_would_change_fails_without_a_retry
    made = function { {key: 1} }
    work
    await_status(id = made.start, "failed")
    assert_match(/the result of call holds :key \(Symbol\)/, only(:dead)["error_message"])
    assert_match(/BadResult/, Durable.flow(id)["error"])
  end

  # Places tell steps apart, so a name is free to come again, as in a loop.
  def test_a_step_name_twice_makes_two_steps
    made = function do
      keys = []
      values = [step(:one) { |s| keys << s.key && 1 }, step(:one) { |s| keys << s.key && 2 }]
      sleep_for(0.02)
      EFFECTS << keys
      values
    end
    work
    id = made.start
    assert_equal([1, 2], result(id))
    assert_equal(["step one", "step one", "sleep sleep"], steps(id))
    assert_equal([], effects.last, "the steps were not executed again")
  end

  def test_a_function_whose_class_is_gone_is_tried_again_and_goes_on_when_it_is_back
    made = function(retry: 1) { [step(:one) { EFFECTS << 1 && 1 }, wait_for(:go)] }
    work
    id = made.start
    await_status(id, "waiting")
    Object.send(:remove_const, :Function)
    Durable.signal(id, :go, 7)
    await_counts(retry: 1)
    assert_equal("Raffia::Jobs::UnknownJob", only(:retry)["error_class"])
    Object.const_set(:Function, made)
    hurry(:retry)
    assert_equal([1, 7], result(id))
    assert_equal([1], effects)
  end

  def test_a_function_whose_class_stays_gone_is_dead_with_its_reason_and_can_be_revived
    made = function(retry: 0) { [step(:one) { EFFECTS << 1 && 1 }, wait_for(:go)] }
    work
    id = made.start
    await_status(id, "waiting")
    Object.send(:remove_const, :Function)
    Durable.signal(id, :go, 7)
    await_status(id, "failed")
    assert_match(/UnknownJob: there is no class Function in this worker/, Durable.flow(id)["error"])
    Object.const_set(:Function, made)
    hurry(:dead)
    assert_equal([1, 7], result(id))
    assert_equal([1], effects)
  end

  def test_a_history_over_its_limit_is_a_dead_job_that_keeps_its_steps
    made = function do
      step(:large) { "x" * (16 * 1024 * 1024) }
      step(:more) { EFFECTS << 1 }
    end
    work
    id = made.start
    await_status(id, "failed")
    assert_match(/has 1 steps with \d+ bytes, the limits are .*continue_as_new/,
      only(:dead)["error_message"])
    assert_equal(["step large"], steps(id))
    assert_empty(effects)
  end

  def test_a_step_within_a_step_is_refused
    made = function(retry: 0) { step(:outer) { step(:inner) { 1 } } }
    work
    await_status(made.start, "failed")
    assert_match(/a step cannot be within a step: step inner/, only(:dead)["error_message"])
  end

  def test_histories_have_limits
    small = Raffia::Jobs::FlowStep.new(place: "0", kind: "step", name: "s", value: "[1]")
    warned = []
    history = Durable::History.new([small]) { |one| warned << one.steps }
    refute_predicate(history, :large?)
    (1..9_999).each { |n| history.add(small.with(place: n.to_s)) }
    assert_equal([1_000], warned)
    assert_predicate(history, :large?)
    error = assert_raises(Durable::HistoryTooLarge) { history.check_size }
    assert_match(/has 10000 steps with .* the limits are 10000 and 16777216: .*continue_as_new/,
      error.message)
    big = Durable::History.new([small.with(value: "x" * (16 * 1024 * 1024))])
    assert_raises(Durable::HistoryTooLarge) { big.check_size }
  end

  def test_unknown_functions_and_signals_that_are_no_json_are_refused
    id = function { nil }.start
    assert_raises(Durable::UnknownFlow) { Durable.signal("none", :go) }
    assert_raises(Durable::UnknownFlow) { Durable.status("none") }
    assert_raises(Durable::UnknownFlow) { Durable.result("none") }
    assert_raises(Jobs::BadArguments) { Durable.signal(id, :go, :symbol) }
    error = assert_raises(Durable::NotEnded) { Durable.result(id) }
    assert_match(/\(Function\) is pending/, error.message)
    refute(Durable.cancel("none"))
  end

  def test_functions_do_not_run_in_other_processes_or_outside_of_workers
    error = assert_raises(Raffia::ConfigError) { function(on: :processes) { nil } }
    assert_match(/a durable function runs on fibers or threads, not on processes/, error.message)
    assert_raises(Raffia::ConfigError) { function { nil }.perform_inline }
    assert_raises(NotImplementedError) { Class.new { include Raffia::Durable }.new.call }
  end

  def test_a_payload_with_an_invalid_flow_is_refused
    error = assert_raises(Raffia::ConfigError) do
      enqueue("Function", raffia: {"flow" => 5})
    end
    assert_match(/raffia\.flow must be an object with a class, and is 5/, error.message)
  end

  def test_a_job_without_a_flow_says_how_to_start_it
    function(retry: 0) { nil }
    enqueue("Function", retry: 0)
    work
    await_counts(dead: 1)
    assert_match(/has no flow: a durable function is enqueued by its class's start/,
      only(:dead)["error_message"])
  end
end
