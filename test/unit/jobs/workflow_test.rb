# frozen_string_literal: true

require "support/jobs_case"

# Workflows as programs define them, with a worker in this process.
class WorkflowTest < TestSupport::JobsCase
  NoteJob = TestSupport::JobsCase::NoteJob
  StuckJob = TestSupport::JobsCase::StuckJob
  SEEN = TestSupport::JobsCase::SEEN

  class ListJob
    include Raffia::Job

    def perform(count) = return_value((1..count).to_a)
  end

  class TenfoldJob
    include Raffia::Job

    def perform(number, by = 10) = return_value(number * by)
  end

  class ReadJob
    include Raffia::Job

    def perform(step) = SEEN << workflow.result(step)
  end

  class FailingJob
    include Raffia::Job

    options retry: 0

    def perform(*) = raise("no")
  end

  class UndoJob
    include Raffia::Job

    def perform(*args) = SEEN << [:undo, *args]
  end

  class UniqueJob
    include Raffia::Job

    options unique: :done

    def perform(*args) = SEEN << args
  end

  class KeyJob
    include Raffia::Job

    options retry: 1
    retry_in { 0 }

    def perform(failing = false)
      SEEN << idempotency_key
      raise "once" if failing && run.item["retry_count"].nil?
    end
  end

  class UndoKeyJob
    include Raffia::Job

    options retry: 1
    retry_in { 0 }

    def perform(*)
      SEEN << [undoes, idempotency_key]
      raise "once" if run.item["retry_count"].nil?
    end
  end

  class RemoteJob
    include Raffia::Job

    options on: :processes

    def perform(list) = return_value({"sum" => list.sum, "workflow" => workflow.id})
  end

  class OrderFlow
    include Raffia::Workflow

    options limit: 3

    def build(count)
      job :list, ListJob, count
      each :tenfold, TenfoldJob, from: :list
      group :ends do
        job :read, ReadJob, "tenfold", after: :tenfold
        job :note, NoteJob, result(:tenfold), result(:list)
      end
      job :last, NoteJob, "last", after: :ends
    end
  end

  class OuterFlow
    include Raffia::Workflow

    def build(count)
      job :list, ListJob, count
      flow :inner, InnerFlow, result(:list)
      job :last, NoteJob, "last", after: :inner
    end
  end

  class InnerFlow
    include Raffia::Workflow

    def build(list)
      list.each { |one| job :"job#{one}", NoteJob, one }
    end
  end

  def test_a_workflow_runs_to_its_end
    flow = OrderFlow.start(3)
    work
    assert_equal([[10, 20, 30], [[10, 20, 30], [1, 2, 3]]].sort_by(&:flatten),
      [seen, seen].sort_by(&:flatten))
    assert_equal(["last"], seen)
    await_state(flow, :done)
    assert_equal([1, 2, 3], flow.result(:list))
    assert_equal(:done, flow.states["tenfold[2]"])
    assert_match(/\Agraph TD\n  s0\["list: done"\]\n  s1\["tenfold: done"\]\n  s0 --> s1/,
      flow.to_mermaid)
  end

  def test_a_limit_is_that_of_the_whole_workflow
    OrderFlow.start(3, id: "limited")
    own = @store.entries(:queue).first.item["raffia"]
    assert_equal({"key" => "workflow:limited", "max" => 3}, own["limit"])
  end

  def test_a_job_of_a_workflow_may_run_in_another_process
    need_fork
    flow = Raffia::Workflow.new("remote") do |w|
      w.job :list, ListJob, 3
      w.job :sum, RemoteJob, w.result(:list)
    end.start
    work
    await_state(flow, :done)
    assert_equal({"sum" => 6, "workflow" => "remote"}, flow.result(:sum))
  end

  def test_sub_workflows_are_built_with_results
    flow = OuterFlow.start(3, id: "outer")
    work
    assert_equal([[1], [2], [3]], [seen, seen, seen].sort)
    assert_equal(["last"], seen)
    await_state(flow, :done)
    assert_equal(:done, Raffia::Workflow.find("outer.inner").state)
    assert_equal(%w[outer.inner outer], Raffia::Workflow.list.map { |one| one["id"] })
  end

  def test_a_failure_undoes_what_was_done
    flow = Raffia::Workflow.new do |w|
      w.job :one, NoteJob, 1, undo: UndoJob
      w.job :two, NoteJob, 2, undo: UndoJob, after: :one
      w.job :three, FailingJob, after: :two
      w.job :four, NoteJob, 4, after: :three
    end.start
    work
    assert_equal([[1], [2], [:undo, 2], [:undo, 1]], Array.new(4) { seen })
    await_state(flow, :undone)
    assert_equal([:dead, :skipped], flow.states.values_at("three", "four"))
  end

  def test_steps_and_undos_have_keys_that_stay_the_same_in_each_attempt
    flow = Raffia::Workflow.new do |w|
      w.job :one, KeyJob, true, undo: UndoKeyJob
      w.job :two, FailingJob, after: :one
    end.start
    work
    key = seen
    assert_equal(flow.status["nodes"].first["jid"], key)
    assert_equal(key, seen)
    assert_equal([[key, "undo-#{key}"]] * 2, [seen, seen])
    await_state(flow, :undone)
  end

  def test_a_sub_workflow_that_is_done_is_undone_with_the_outer_one
    flow = Raffia::Workflow.new("undone") do |w|
      w.flow :inner, UndoableFlow
      w.job :two, FailingJob, after: :inner
    end.start
    work
    assert_equal([[1], [2], [:undo, 2], [:undo, 1]], Array.new(4) { seen })
    await_state(flow, :undone)
    assert_equal(:undone, Raffia::Workflow.find("undone.inner").state)
    assert_equal("workflow undone is undone",
      Raffia::Workflow.find("undone.inner").status["reason"])
  end

  class UndoableFlow
    include Raffia::Workflow

    def build
      job :one, NoteJob, 1, undo: UndoJob
      flow :more, UndoableInnerFlow, after: :one
    end
  end

  class UndoableInnerFlow
    include Raffia::Workflow

    def build = job(:two, NoteJob, 2, undo: UndoJob)
  end

  def test_a_workflow_that_is_done_is_undone_by_hand
    flow = UndoableInnerFlow.start
    work
    assert_equal([2], seen)
    await_state(flow, :done)
    assert(flow.undo)
    assert_equal([:undo, 2], seen)
    await_state(flow, :undone)
    refute(Raffia::Workflow::Handle.new("none", @store).undo)
  end

  def test_the_undo_of_a_sub_workflow_that_is_not_there_any_more_fails
    job = Jobs::Workflow::UndoJob.new
    job.run = Jobs::Worker::Executors::RemoteRun.new(
      {"raffia" => {"workflow" => {"id" => "lost", "node" => "undo inner"}}}, @store
    )
    error = assert_raises(Jobs::Error) { job.perform("InnerFlow", []) }
    assert_match(/no workflow lost.inner: it was not opened here, or was pruned/, error.message)
  end

  def test_a_step_that_runs_again_gets_a_new_sub_workflow
    flow = OuterFlow.start(1, id: "again")
    work
    2.times { seen }
    await_state(flow, :done)
    flow.retry(:inner)
    assert_equal([[1], ["last"]], [seen, seen])
    await_state(flow, :done)
  end

  def test_a_unique_step_that_is_kept_out_is_done
    UniqueJob.perform_async(1)
    flow = Raffia::Workflow.new do |w|
      w.job :one, UniqueJob, 1
      w.job :two, NoteJob, w.result(:one), after: :one
    end.start
    assert_equal({"one" => :done, "two" => :active}, flow.states)
    work
    assert_equal([[1], [nil]], [seen, seen].sort_by(&:inspect))
    await_state(flow, :done)
  end

  def test_a_cancel_reaches_running_jobs_and_sub_workflows
    flow = StuckOuterFlow.start(id: "stuck")
    work(beat: 0.05)
    assert_equal([:began, nil], seen)
    assert(wait_until { @store.processes.any? { |one| one["work"].to_a.any? } })
    assert(flow.cancel)
    assert_equal([:left, nil], seen)
    await_state(flow, :cancelled)
    assert_equal(:cancelled, Raffia::Workflow.find("stuck.inner").state)
    refute(flow.cancel)
  end

  class StuckFlow
    include Raffia::Workflow

    def build = job(:stuck, StuckJob)
  end

  class StuckOuterFlow
    include Raffia::Workflow

    def build = flow(:inner, StuckFlow)
  end

  def test_a_deadline_cancels
    flow = Raffia::Workflow.new(deadline: 0.2) do |w|
      w.job :one, StuckJob
      w.job :two, NoteJob, after: :one
    end.start
    work(beat: 0.05)
    assert_equal([:began, nil], seen)
    assert_equal([:left, nil], seen)
    await_state(flow, :cancelled)
    assert_equal("its deadline has passed", flow.status["reason"])
  end

  def test_a_step_is_retried_with_all_that_depends_on_it
    flow = OrderFlow.start(2)
    work
    3.times { seen }
    await_state(flow, :done)
    flow.retry(:tenfold)
    3.times { seen }
    await_state(flow, :done)
  end

  def test_an_id_is_used_once
    Raffia::Workflow.new("x") { |w| w.job :a, NoteJob }.start
    error = assert_raises(Jobs::NotUnique) do
      Raffia::Workflow.new("x") { |w| w.job :a, NoteJob }.start
    end
    assert_equal(["x", true], [error.key, error.message.include?("Raffia::Workflow.find(\"x\")")])
    assert_nil(Raffia::Workflow.find("y"))
  end

  def test_tests_of_programs_run_workflows
    require "raffia/jobs/testing"
    Jobs::Testing.fake do
      flow = OrderFlow.start(2)
      Jobs::Testing.drain_all
      assert_equal(:done, flow.state)
    end
    Jobs::Testing.inline { assert_equal(:done, OuterFlow.start(1).state) }
  end

  private

  def await_state(flow, state)
    wait_until { flow.state == state }
  rescue Minitest::Assertion
    flunk("#{flow.status}\n#{@out.string}")
  end
end
