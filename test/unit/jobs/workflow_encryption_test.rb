# frozen_string_literal: true

require "support/jobs_case"
require "tmpdir"
require "raffia/jobs/testing"

# Workflows whose steps encrypt: the store has no plain arguments and results.
class WorkflowEncryptionTest < TestSupport::JobsCase
  SEEN = TestSupport::JobsCase::SEEN
  KEYS = {:active => "one", "one" => "1" * 64}.freeze
  SECRET = "4111-secret"

  class SecretJob
    include Raffia::Job

    options encrypt: true, retry: 1
    retry_in { 3600 }

    def perform(value, *more)
      SEEN << [value, *more]
      return_value(value)
    end
  end

  class PartlyJob
    include Raffia::Job

    options encrypt: [1]

    def perform(order, card) = return_value({"order" => order, "card" => card})
  end

  class PlainJob
    include Raffia::Job

    options retry: 1
    retry_in { 3600 }

    def perform(value, fail = false)
      SEEN << value
      raise "error about #{value}" if fail
    end
  end

  class UndoJob
    include Raffia::Job

    def perform(*args) = SEEN << [:undo, *args]
  end

  class FailingJob
    include Raffia::Job

    options retry: 0

    def perform(*) = raise("no")
  end

  class SecretFunction
    include Raffia::Durable

    options encrypt: true

    def call(value) = [value, "#{value}!"]
  end

  class InnerFlow
    include Raffia::Workflow

    options encrypt: true

    def build(secret, more)
      job :one, PlainJob, secret
      job :two, PlainJob, more, after: :one
    end
  end

  def setup
    @dir = Dir.mktmpdir("raffia-jobs")
    super
    Jobs.keys = KEYS
  end

  def teardown
    super
    Jobs.keys = nil
    FileUtils.rm_rf(@dir)
  end

  def open_store = Jobs::Store.open("sqlite:#{@dir}/jobs.db")

  def test_arguments_and_results_are_encrypted_until_the_step_that_takes_them
    flow = start do |w|
      w.job :one, SecretJob, SECRET
      w.job :two, SecretJob, w.result(:one), "second #{SECRET}"
      w.job :three, PlainJob, w.result(:two)
    end
    assert_secret(flow)
    finish(flow)
    assert_equal([[SECRET], [SECRET, "second #{SECRET}"], SECRET], [seen, seen, seen])
    assert_secret(flow)
    assert_equal(SECRET, flow.result(:two))
  end

  def test_positions_are_those_of_perform
    flow = start do |w|
      w.job :list, SecretJob, [1, 2]
      w.each :each, PartlyJob, SECRET, from: :list
    end
    work
    await_state(flow, :done)
    assert_equal([{"order" => 1, "card" => SECRET}, {"order" => 2, "card" => SECRET}],
      flow.result(:each))
    assert_secret(flow)
  end

  def test_elements_of_an_encrypted_list_are_encrypted_one_by_one
    flow = start do |w|
      w.job :list, SecretJob, [SECRET, {"card" => SECRET}, nil]
      w.each :each, SecretJob, from: :list
      w.job :all, PlainJob, w.result(:each)
    end
    finish(flow)
    assert_equal([SECRET, {"card" => SECRET}, nil], Array.new(5) { seen }.last)
    assert_secret(flow)
  end

  def test_an_encrypted_result_that_is_no_list_makes_the_each_dead
    flow = start do |w|
      w.job :one, SecretJob, SECRET
      w.each :each, SecretJob, from: :one
    end
    finish(flow, :failed)
    assert_equal("the result of one is no list but encrypted: return_value of its job must be an " \
      "Array", flow.status["nodes"].last["error"])
  end

  def test_an_undo_gets_the_plain_arguments_of_its_step
    flow = start do |w|
      w.job :one, SecretJob, SECRET, undo: UndoJob
      w.job :two, PlainJob, w.result(:one), undo: SecretJob, after: :one
      w.job :three, FailingJob, after: :two
    end
    finish(flow, :undone)
    assert_equal([[SECRET], SECRET, [SECRET], [:undo, SECRET]], Array.new(4) { seen })
    assert_secret(flow)
  end

  def test_a_durable_function_that_encrypts_is_a_step
    flow = start do |w|
      w.job :one, SecretFunction, SECRET
      w.job :two, PlainJob, w.result(:one)
    end
    finish(flow)
    assert_equal([SECRET, "#{SECRET}!"], seen)
    assert_secret(flow)
  end

  def test_a_workflow_that_encrypts_hides_its_own_arguments_as_a_step
    flow = start do |w|
      w.job :one, SecretJob, SECRET
      w.flow :inner, InnerFlow, w.result(:one), "more #{SECRET}"
    end
    assert_secret(flow)
    finish(flow)
    assert_equal([[SECRET], SECRET, "more #{SECRET}"], Array.new(3) { seen })
    assert_secret(Raffia::Workflow.find("#{flow.id}.inner"))
  end

  def test_errors_of_a_step_that_takes_an_encrypted_result_are_hidden
    start do |w|
      w.job :one, SecretJob, SECRET
      w.job :two, PlainJob, w.result(:one), true
    end
    work
    await_counts(retry: 1)
    entry = @store.entries(:retry).first
    refute_includes(entry.payload + @out.string, SECRET)
    shown = Jobs::Redaction.item(entry.item)
    assert_equal(["(encrypted with the key one)", true], shown["args"])
    assert_equal([SECRET, true], Jobs.arguments(entry.item))
    assert_equal("error about #{SECRET}",
      Jobs::Encryption.reveal_all(entry.item)["error_message"])
  end

  def test_a_step_whose_key_is_not_there_waits_until_it_is_back
    flow = start { |w| w.job :one, SecretJob, SECRET }
    Jobs.keys = {:active => "two", "two" => "2" * 64}
    work
    await_counts(retry: 1)
    item = @store.entries(:retry).first.item
    assert_equal(["Raffia::Jobs::UnknownKey", nil, :running],
      [item["error_class"], item["retry_count"], flow.state])
    assert_includes(item["error_message"], "one")
    Jobs.keys = {:active => "two", "two" => "2" * 64, "one" => KEYS["one"]}
    @store.requeue(@store.entries(:retry))
    await_state(flow, :done)
    assert_equal(SECRET, flow.result(:one))
    Jobs.keys = KEYS
    assert_raises(Jobs::UnknownKey) { flow.result(:one) }
  end

  def test_a_value_of_another_workflow_cannot_be_decrypted
    flow = start { |w| w.job :one, SecretJob, SECRET }
    item = @store.entries(:queue).first.item
    item["raffia"]["workflow"]["id"] = "other"
    error = assert_raises(Jobs::DecryptionFailed) { Jobs.arguments(item) }
    assert_match(/argument 1 of one cannot be decrypted/, error.message)
    refute_nil(flow)
  end

  def test_a_secret_and_a_result_in_one_argument_are_refused
    error = assert_raises(Raffia::ConfigError) do
      start { |w| w.job(:one, PlainJob, 1).job(:two, SecretJob, {"a" => w.result(:one)}) }
    end
    assert_match(/SecretJob encrypts an argument that has a result in it: hand the result over/,
      error.message)
    error = assert_raises(Raffia::ConfigError) do
      Jobs.keys = nil
      start { |w| w.job :one, SecretJob, 1 }
    end
    assert_match(/needs keys/, error.message)
    assert_empty(@store.workflows)
  end

  def test_testing_runs_encrypted_steps
    Jobs::Testing.inline do
      flow = start { |w| w.job(:one, SecretJob, SECRET).job(:two, PlainJob, w.result(:one)) }
      assert_equal([:done, SECRET], [flow.state, flow.result(:one)])
    end
  end

  private

  def start(&) = Raffia::Workflow.new(&).start

  def finish(flow, state = :done)
    work
    await_state(flow, state)
  end

  # All that was ever written.
  def assert_secret(flow)
    bytes = Dir["#{@dir}/jobs.db{,-wal}"].map { |file| ::File.binread(file) }.join
    assert_includes(bytes, flow.id)
    refute_includes(bytes, SECRET)
  end

  def await_state(flow, state)
    wait_until { flow.state == state }
  rescue Minitest::Assertion
    flunk("#{flow.status}\n#{@out.string}")
  end
end
