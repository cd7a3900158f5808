# frozen_string_literal: true

require "support/jobs_case"

# Kinds of jobs as steps of workflows: durable functions, rate limited and fair jobs.
class WorkflowStepsTest < TestSupport::JobsCase
  NoteJob = TestSupport::JobsCase::NoteJob
  SEEN = TestSupport::JobsCase::SEEN

  class ListJob
    include Raffia::Job

    def perform(*list) = return_value(list)
  end

  class FailingJob
    include Raffia::Job

    options retry: 0

    def perform(*) = raise("no")
  end

  class SumFunction
    include Raffia::Durable

    def call(*numbers)
      sum = step(:add) { numbers.flatten.sum }
      wait_for(:go) if numbers == [0]
      sum
    ensure
      shield { step(:clean) { SEEN.push(:cleaned) && nil } } if numbers == [0]
    end
  end

  class BigFunction
    include Raffia::Durable

    def call = "x" * 300_000
  end

  class RefundFunction
    include Raffia::Durable

    def call(number)
      step(:refund) { SEEN.push([:refunded, number, undoes]) && nil }
    end
  end

  class LimitedJob
    include Raffia::Job

    options rate: 2, per: 3600, rate_key: ->(key) { key }

    def perform(key) = SEEN << key
  end

  class FairJob
    include Raffia::Job

    options fair_by: ->(tenant, *) { tenant }

    def perform(*args) = SEEN << args
  end

  def test_what_a_durable_function_returns_is_the_result_of_its_step
    flow = Raffia::Workflow.new do |w|
      w.job :list, ListJob, 1, 2
      w.each :each, SumFunction, 10, from: :list
      w.job :sum, SumFunction, w.result(:each)
    end.start
    work
    await_state(flow, :done)
    assert_equal([[11, 12], 23], [flow.result(:each), flow.result(:sum)])
  end

  def test_a_durable_function_undoes_a_step
    flow = Raffia::Workflow.new do |w|
      w.job :one, SumFunction, 7, undo: RefundFunction
      w.job :two, FailingJob, after: :one
    end.start
    work
    assert_equal([:refunded, 7, flow.status["nodes"].first["jid"]], seen)
    await_state(flow, :undone)
  end

  def test_a_function_that_waits_is_cancelled_with_its_workflow_and_cleans_up
    flow = waiting_function
    assert(flow.cancel)
    assert_equal(:cleaned, seen)
    await_state(flow, :cancelled)
    assert_equal({"one" => :cancelled, "two" => :cancelled}, flow.states)
    assert_equal([0, []], [@store.counts[:dead], @store.check])
  end

  def test_a_function_that_was_cancelled_by_hand_makes_its_step_dead
    flow = waiting_function
    Raffia::Durable.cancel(jid(flow))
    assert_equal(:cleaned, seen)
    await_state(flow, :failed)
    assert_equal({"one" => :dead, "two" => :skipped}, flow.states)
    assert_equal("cancelled", Raffia::Durable.status(jid(flow)))
  end

  def test_a_function_whose_result_is_too_large_is_dead
    flow = Raffia::Workflow.new { |w| w.job :one, BigFunction }.start
    work
    await_state(flow, :failed)
    assert_match(/result of WorkflowStepsTest::BigFunction cannot be kept: it has 300002 bytes/,
      @store.entries(:dead).first.item["error_message"])
  end

  def test_a_step_waits_for_its_rate
    3.times { |n| start(LimitedJob, "a", id: "w#{n}") }
    start(LimitedJob, "b", id: "other")
    work
    assert_equal(%w[a a b], [seen, seen, seen].sort)
    await_counts(blocked: 1, running: 0)
    assert_equal([:done, :done, :running, :done],
      %w[w0 w1 w2 other].map { |id| state_soon(id) })
    Raffia::Workflow.find("w2").cancel
    assert_equal([:cancelled, 0], [Raffia::Workflow.find("w2").state, @store.counts[:blocked]])
  end

  def test_steps_take_turns_with_those_of_other_tenants
    Raffia::Workflow.new { |w| 3.times { |n| w.job :"s#{n}", FairJob, "big", n } }.start
    start(FairJob, "small", id: "small")
    work(concurrency: 1)
    assert_equal(1, Array.new(4) { seen }.index(["small"]))
  end

  def test_keys_that_need_arguments_are_refused_before_anything_is_stored
    {"rate_key" => LimitedJob, "fair_by" => FairJob}.each do |option, job|
      error = assert_raises(Raffia::ConfigError) do
        Raffia::Workflow.new { |w| w.job(:list, ListJob, 1).each(:each, job, from: :list) }.start
      end
      assert_match(/\A#{option} of #{job} needs its arguments, which are not known/, error.message)
    end
    assert_empty(@store.workflows)
  end

  private

  def waiting_function
    flow = Raffia::Workflow.new do |w|
      w.job :one, SumFunction, 0
      w.job :two, NoteJob, after: :one
    end.start
    work
    wait_until { Raffia::Durable.status(jid(flow)) == "waiting" }
    flow
  end

  def jid(flow) = flow.status["nodes"].first["jid"]

  def start(job, *args, id:) = Raffia::Workflow.new(id) { |w| w.job :one, job, *args }.start

  # The end is stored after the job has been seen.
  def state_soon(id)
    wait_until { @store.counts[:running].zero? }
    Raffia::Workflow.find(id).state
  end

  def await_state(flow, state)
    wait_until { flow.state == state }
  rescue Minitest::Assertion
    flunk("#{flow.status}\n#{@out.string}")
  end
end
