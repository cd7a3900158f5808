# frozen_string_literal: true

require "support/jobs_case"

# How a worker comes to its end, and what becomes of its jobs when it does so without wanting to.
class JobsWorkerEndTest < TestSupport::JobsCase
  SEEN = TestSupport::JobsCase::SEEN
  Jobs = Raffia::Jobs

  class GateJob
    include Raffia::Job

    GATE = Thread::Queue.new

    def perform(number)
      SEEN << [:began, number]
      GATE.pop
      SEEN << [:done, number]
    end
  end

  # Lets no other job run, until the gate is opened.
  class HogJob
    include Raffia::Job

    GATE = Thread::Queue.new

    def perform
      SEEN << jid
      nil while GATE.empty?
    end
  end

  # Leaves a thread running without a waiter.
  class LeavingJob
    include Raffia::Job

    def perform
      Fiber.schedule do
        sleep
      ensure
        SEEN << :ended
      end
      SEEN << :done
    end
  end

  class PoliteJob
    include Raffia::Job

    def perform
      SEEN << :began
      sleep(0.01) until stopping?
      SEEN << :stops
      raise Jobs::Interrupted
    end
  end

  def setup
    super
    [GateJob::GATE, HogJob::GATE].each(&:clear)
  end

  def test_what_has_begun_may_end
    handle = work(timeout: 60)
    GateJob.perform_async(1)
    seen
    handle.worker.stop
    wait_until { logged("draining").any? }
    GateJob.perform_async(2)
    GateJob::GATE << nil
    handle.stop
    assert_equal [:done, 1], seen
    await_counts(queue: 1, running: 0)
    assert_empty SEEN
  end

  def test_what_does_not_end_is_interrupted_and_goes_back_to_the_front
    handle = work(concurrency: 1, timeout: 0.05)
    jid = StuckJob.perform_async("first")
    seen
    NoteJob.perform_async("second")
    handle.stop
    assert_equal [:left, "first"], seen
    await_counts(queue: 2, running: 0, retry: 0)
    assert_equal jid, @store.entries(:queue, queue: "default").first.jid
    assert_equal [jid], logged("interrupted").map { |line| line["jid"] }
    assert_empty @store.processes
  end

  def test_a_second_stop_does_not_wait
    handle = work(timeout: 600)
    StuckJob.perform_async
    seen
    handle.worker.stop
    wait_until { logged("draining").any? }
    handle.stop
    await_counts(queue: 1, running: 0)
  end

  def test_what_jobs_have_left_running_does_not_keep_it
    handle = work
    LeavingJob.perform_async
    assert_equal :done, seen
    handle.stop
    assert_equal :ended, seen
    await_counts(queue: 0, running: 0)
  end

  def test_a_job_can_ask_and_goes_on_later
    handle = work(timeout: 60)
    jid = PoliteJob.perform_async
    assert_equal :began, seen
    handle.stop
    assert_equal :stops, seen
    await_counts(queue: 1, running: 0, retry: 0)
    assert_nil @store.find(jid).item["retry_count"]
  end

  def test_signs_of_life_come_while_a_job_computes
    work(beat: 0.02)
    HogJob.perform_async
    seen
    3.times do
      last = @store.processes.first["beat"]
      wait_until { @store.processes.first["beat"] > last }
    end
    HogJob::GATE << nil
    await_counts(queue: 0, running: 0)
  end

  # Others may have a processor for them.
  def test_jobs_that_compute_are_not_hoarded
    work
    10.times { HogJob.perform_async }
    seen
    assert_includes 1..4, @store.counts[:running]
    HogJob::GATE << nil
    await_counts(queue: 0, running: 0)
  end

  def test_a_job_that_computes_does_not_keep_its_worker_from_giving_back
    handle = work(timeout: 0.01)
    jid = HogJob.perform_async
    seen
    handle.worker.stop
    await_counts(queue: 1, running: 0)
    assert_nil @store.find(jid).item.dig("raffia", "crashes")
    wait_until { logged("lease given back").any? }
    HogJob::GATE << nil
    handle.wait
    await_counts(queue: 1, running: 0)
  end

  def test_jobs_of_a_worker_that_died_are_done_by_others
    jid = NoteJob.perform_async(1)
    # On a busy machine a lease may be over before its claim.
    wait_until { @store.claim(@store.enroll("dead:1:1", {}, ttl: 0.1), ["default"], 1).any? }
    work
    assert_equal [1], seen
    wait_until { logged("recovered").any? { |line| line["jid"] == jid } }
  end

  def test_cancelled_ones_are_gone
    handle = work
    jid = StuckJob.perform_async
    seen
    assert_equal :interrupted, handle.worker.cancel(jid)
    assert_equal [:left, nil], seen
    await_counts(queue: 0, running: 0, retry: 0, dead: 0)
    refute handle.worker.cancel(jid)
  end
end
