# frozen_string_literal: true

require_relative "durable_case"

# Durable functions with encrypted arguments: nothing that they keep is plain.
class JobsDurableEncryptionTest < JobsDurableCase
  SECRET = "4111-plain"

  def setup
    super
    Jobs.keys = {:active => "a", "a" => "k" * 32}
  end

  def teardown
    Jobs.keys = nil
    super
  end

  def test_steps_signals_published_values_and_results_are_encrypted
    made = function(encrypt: true) do |card|
      step(:charge) { "charged #{card}" }
      publish({"card" => card})
      [wait_for(:go), step(:charge) { "again #{card}" }]
    end
    work
    id = made.start(SECRET)
    await_status(id, "waiting")
    assert_equal({"card" => SECRET}, Durable.query(id))
    Durable.signal(id, :go, {"signed" => SECRET})
    assert_equal([{"signed" => SECRET}, "again #{SECRET}"], result(id))
    refute_includes(stored(id), "plain")
    assert_equal(6, stored(id).scan("raffia:enc").size, "4 steps, the state, and the result")
  end

  def test_a_signal_that_was_not_taken_is_encrypted
    made = function(encrypt: true) { step(:one) { 1 } }
    id = made.start
    sent = []
    @store.define_singleton_method(:signal_flow) do |*all, **how|
      sent << all[2]
      super(*all, **how)
    end
    Durable.signal(id, :go, SECRET)
    assert_match(/\A\{"raffia:enc":"1\.a\./, sent.first)
  end

  def test_errors_are_encrypted_and_shown_to_those_with_the_keys
    made = function(encrypt: true, retry: 0) { |card| raise "declined #{card}" }
    work
    id = made.start(SECRET)
    await_status(id, "failed")
    error = assert_raises(Durable::FlowFailed) { Durable.result(id) }
    assert_match(/has failed: RuntimeError: declined 4111-plain\z/, error.message)
    refute_includes(stored(id) + @out.string, "plain")
    assert_match(/\ARuntimeError: \{"raffia:enc"/, Durable.flow(id)["error"])
  end

  def test_the_reason_of_a_cancel_is_encrypted
    made = function(encrypt: true) { |card| raise Durable::Cancelled, "no #{card}" }
    work
    id = made.start(SECRET)
    await_status(id, "cancelled")
    refute_includes(stored(id), "plain")
    error = assert_raises(Durable::FlowFailed) { Durable.result(id) }
    assert_match(/has cancelled: no 4111-plain\z/, error.message)
  end

  def test_parents_read_results_and_errors_of_encrypted_children
    function(:Child, encrypt: true, retry: 0) do |card, fails|
      raise "declined #{card}" if fails

      {"paid" => card}
    end
    made = function do |card|
      first = child(Child, card, false)
      begin
        child(Child, card, true)
      rescue Durable::FlowFailed => error
        [first == {"paid" => card}, error.message[/RuntimeError: declined #{card}/] && 1]
      end
    end
    work
    id = made.start(SECRET)
    assert_equal([true, 1], result(id))
    refute_includes(stored(id), "plain")
  end

  def test_a_function_with_encrypted_arguments_continues_with_encrypted_ones
    made = function(encrypt: true) do |secret, count|
      wait_for(:go)
      (count > 0) ? continue_as_new(secret, count - 1) : secret
    end
    work
    id = made.start("secret", 1)
    await_status(id, "waiting")
    Durable.signal(id, :go)
    wait_until { @store.flow(id).values_at("run", "status") == [2, "waiting"] }
    refute_includes(@store.entries(:scheduled).first.payload, "secret")
    Durable.signal(id, :go)
    assert_equal("secret", result(id))
  end

  def test_without_keys_nothing_is_sent_or_shown
    made = function(encrypt: true) { wait_for(:go) }
    work
    id = made.start
    await_status(id, "waiting")
    Durable.signal(id, :go, SECRET)
    assert_equal(SECRET, result(id))
    other = made.start
    Jobs.keys = nil
    error = assert_raises(Raffia::ConfigError) { Durable.signal(other, :go, SECRET) }
    assert_match(/Function, with `encrypt`, needs keys/, error.message)
    assert_raises(Jobs::UnknownKey) { Durable.result(id) }
  end

  def test_a_function_whose_key_is_gone_waits_for_it
    made = function(encrypt: true, retry: 0) { |card| [step(:one) { card }, wait_for(:go)] }
    work
    id = made.start(SECRET)
    await_status(id, "waiting")
    Jobs.keys = {:active => "b", "b" => "x" * 32}
    Durable.signal(id, :go, 2)
    await_counts(retry: 1)
    assert_equal("Raffia::Jobs::UnknownKey", only(:retry)["error_class"])
    assert_nil(only(:retry)["retry_count"])
    Jobs.keys = {:active => "b", "a" => "k" * 32, "b" => "x" * 32}
    hurry(:retry)
    assert_equal([SECRET, 2], result(id))
  end

  private

  # All that the store has of a function.
  def stored(id)
    jobs = Jobs::Store::SETS.flat_map { |set| @store.entries(set).map(&:payload) }
    [*@store.flows.map { |flow| JSON.generate(flow) }, *@store.flow_steps(id).map(&:value),
      *jobs].join("\n")
  end
end
