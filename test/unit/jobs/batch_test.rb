# frozen_string_literal: true

require "test_helper"
require "raffia/jobs/testing"
require "raffia/jobs/worker"

# The face of batches; what stores make of them is asked by their contract.
class JobsBatchTest < Raffia::TestCase
  Batch = Raffia::Jobs::Batch
  Testing = Raffia::Jobs::Testing

  class StepJob
    include Raffia::Job

    options retry: false
    def perform(step = nil) = (step == "fail") ? raise(IOError, "no") : Fiber[:seen] << step
  end

  class ReportJob
    include Raffia::Job

    def perform(*args) = Fiber[:seen] << [:report, *args, calling_batch.status.done, batch&.id]
  end

  class GrowJob
    include Raffia::Job

    def perform(left)
      Fiber[:seen] << batch.id
      batch.jobs { GrowJob.perform_async(left - 1) } if left > 0
      StepJob.perform_async("outside")
    end
  end

  def setup
    super
    Fiber[:seen] = []
  end

  def seen = Fiber[:seen]

  def with_callbacks(**options)
    Batch.new(**options).tap do |batch|
      %i[success complete death].each { |event| batch.on(event, ReportJob, event.to_s) }
    end
  end

  def reports = seen.grep(Array).map { |report| report[1] }

  def test_it_counts_its_jobs
    Testing.fake do
      batch = Batch.new(description: "steps")
      assert_nil(batch.status)
      assert_equal(:value,
        batch.jobs {
          StepJob.perform_bulk([[1], [2]]) && StepJob.set(queue: "x").perform_async(3) &&
          :value
        })
      StepJob.perform_async("no member")
      status = batch.status
      assert_equal(["steps", 3, 3, 0, 0, 0.0, true, nil],
        [status.description, status.total, status.pending, status.done, status.dead,
          status.progress, status.sealed, status.parent])
      refute_predicate(status, :complete?)
      assert_in_delta(Time.now.to_f, status.created_at, 60)
      StepJob.perform_one
      assert_equal([1, 1.0 / 3], [batch.status.done, batch.status.progress])
      Testing.drain_all
      assert_equal([true, true, 1.0], [batch.status.complete?, batch.status.success?,
        batch.status.progress])
      assert_in_delta(Time.now.to_f, batch.status.completed_at, 60)
    end
  end

  def test_callbacks_are_called_when_all_is_done
    Testing.fake do
      with_callbacks.jobs { StepJob.perform_bulk([[1], [2]]) }
      Testing.drain_all
      assert_equal([1, 2, [:report, "complete", 2, nil], [:report, "success", 2, nil]], seen)
    end
  end

  def test_callbacks_of_a_batch_with_a_dead_job
    Testing.fake do
      batch = with_callbacks
      batch.jobs { StepJob.perform_bulk([["fail"], [2]]) }
      assert_raises(IOError) { Testing.drain_all }
      assert_equal([1, 1, false], [batch.status.dead, batch.status.pending, batch.status.complete?])
      Testing.drain_all
      assert_equal(%w[death complete], reports)
      assert_equal([true, false], [batch.status.complete?, batch.status.success?])
      Raffia::Jobs.store.requeue(Raffia::Jobs.store.entries(:dead))
      assert_raises(IOError) { Testing.drain_all }
      assert_equal(%w[death complete], reports)
    end
  end

  def test_an_empty_one_is_complete_at_once
    Testing.fake do
      batch = with_callbacks
      batch.jobs {}
      assert_equal([true, 0, 1.0], [batch.status.success?, batch.status.total,
        batch.status.progress])
      Testing.drain_all
      assert_equal(%w[complete success], reports)
    end
  end

  def test_inline_calls_back_too
    Testing.inline do
      with_callbacks.jobs { StepJob.perform_async(1) }
      assert_equal([1, [:report, "complete", 1, nil], [:report, "success", 1, nil]], seen)
    end
  end

  def test_a_running_job_may_add_jobs
    Testing.fake do
      batch = with_callbacks
      batch.jobs { GrowJob.perform_async(2) }
      Testing.drain_all
      assert_equal([batch.id], seen.grep(String).uniq - ["outside"])
      assert_equal([3, 3], [batch.status.total, batch.status.done])
      assert_equal(3, seen.count("outside"), "those belong to nothing")
      assert_equal([:report, "success", 3, nil], seen.grep(Array).last)
    end
  end

  def test_what_fibers_and_threads_of_the_block_enqueue_belongs_to_it
    Testing.fake do
      batch = Batch.new
      batch.jobs do
        Thread.new { StepJob.perform_async(1) }.join
        Raffia.run { |scope| scope.spawn { StepJob.perform_async(2) }.join }
        Raffia::Jobs.enqueue([{"class" => "Elsewhere", "args" => []}])
      end
      assert_equal(3, batch.status.total)
    end
  end

  def test_jobs_of_one_call_may_name_another_batch
    Testing.fake do
      first, second = Batch.new, Batch.new
      first.jobs { StepJob.perform_async(1) }
      second.jobs { StepJob.set(batch: first.id).perform_async(2) }
      assert_equal([2, 0], [first.status.total, second.status.total])
    end
  end

  def test_a_batch_within_a_batch
    Testing.fake do
      outer = Batch.new.on(:success, ReportJob, "outer")
      inner = Batch.new.on(:success, ReportJob, "inner")
      outer.jobs do
        StepJob.perform_async(1)
        inner.jobs { StepJob.perform_async(2) }
      end
      assert_equal([outer.id, 2, 1], [inner.status.parent, outer.status.total, inner.status.total])
      Testing.drain_all
      # The inner one's callback belongs to the outer one.
      assert_equal([1, 2, [:report, "inner", 1, outer.id], [:report, "outer", 3, nil]], seen)
    end
  end

  def test_a_block_that_raises_leaves_it_open
    Testing.fake do
      batch = with_callbacks
      assert_raises(IOError) { batch.jobs { StepJob.perform_async(1) && raise(IOError) } }
      Testing.drain_all
      assert_equal([1, 0, false, false],
        [batch.status.total, batch.status.pending, batch.status.sealed, batch.status.complete?])
      assert_empty(reports)
      StepJob.perform_async(2)
      assert_equal(1, batch.status.total, "after the block nothing belongs to it")
    end
  end

  def test_jobs_may_be_added_until_it_is_complete
    Testing.fake do
      batch = with_callbacks
      batch.jobs { StepJob.perform_async(1) }
      batch.jobs { StepJob.perform_async(2) }
      Batch.find(batch.id).jobs { StepJob.perform_async(3) }
      assert_equal(3, batch.status.total)
      Testing.drain_all
      error = assert_raises(Raffia::Jobs::Error) { batch.jobs { flunk } }
      assert_match(/batch #{batch.id} is complete: make another one/, error.message)
    end
  end

  def test_find_and_list
    Testing.fake do
      assert_nil(Batch.find("nowhere"))
      ids = Array.new(3) { |n| Batch.new(description: "b#{n}").tap { |batch| batch.jobs {} }.id }
      assert_equal(ids.reverse, Batch.list.map(&:id))
      assert_equal(%w[b1], Batch.list(offset: 1, limit: 1).map(&:description))
      assert_equal(ids[0], Batch.find(ids[0]).status.id)
    end
  end

  def test_what_makes_no_sense_is_refused
    assert_refused(/no event :done: use one of success, complete, death/) do
      Batch.new.on(:done, ReportJob)
    end
    assert_refused(/has a callback on success already/) do
      Batch.new.on(:success, ReportJob).on(:success, ReportJob)
    end
    assert_refused(/String is no job/) { Batch.new.on(:success, String) }
    assert_refused(/there is no option que/) { Batch.new.on(:success, ReportJob, que: "x") }
    assert_raises(Raffia::Jobs::BadArguments) { Batch.new.on(:success, ReportJob, :symbol) }
    assert_raises(ArgumentError) { Batch.new.jobs }
    Testing.fake do
      batch = Batch.new
      batch.jobs {}
      assert_refused(/is open already: say what it calls before its jobs/) do
        batch.on(:success, ReportJob)
      end
    end
  end

  def test_callbacks_have_options_and_know_no_time_before_they_are_called
    Testing.fake do
      Batch.new.on(:success, ReportJob, {"a" => 1}, queue: "reports", expires_in: 1).jobs {}
      item = ReportJob.jobs.first
      assert_equal(["reports", [{"a" => 1}]], item.values_at("queue", "args"))
      assert_equal([false, false], [item.key?("enqueued_at"), item["raffia"].key?("expires_at")])
    end
  end

  # Its fibers are none of the test's: they find the store of the process, and what was done in a
  # constant.
  DONE = Thread::Queue.new

  class RecordJob
    include Raffia::Job

    def perform(left)
      DONE << [batch&.id, calling_batch&.id, left]
      batch.jobs { RecordJob.perform_async(left - 1) } if left.is_a?(Integer) && left > 0
    end
  end

  def test_a_worker_completes_it
    before = Raffia::Jobs::Setup.current.instance_variable_get(:@store) || "memory:"
    Raffia::Jobs.store = "memory:"
    batch = Batch.new.on(:complete, RecordJob, "complete").on(:success, RecordJob, "success")
      .on(:death, RecordJob, "death")
    handle = Raffia::Jobs::Worker.new(concurrency: 5, log: Logger.new(IO::NULL)).start
    batch.jobs { RecordJob.perform_async(5) && StepJob.perform_async("fail") }
    done = Array.new(8) { DONE.pop(timeout: PATIENCE) }
    assert_equal((0..5).map { |left| [batch.id, nil, left] },
      done.select { |one| one&.first }.sort_by(&:last))
    assert_equal(%w[complete death].map { |event| [nil, batch.id, event] },
      done.reject { |one| one&.first }.sort_by(&:last))
    assert_equal([7, 6, 1, true], [batch.status.total, batch.status.done, batch.status.dead,
      batch.status.complete?])
  ensure
    handle&.stop
    Raffia::Jobs.store = before
  end
end
