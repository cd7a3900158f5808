# frozen_string_literal: true

require "support/jobs_case"

# Claims of a worker, and its claims by the store.
class JobsWorkerReconciliationTest < TestSupport::JobsCase
  # Runs until it should end.
  class PatientJob
    include Raffia::Job

    def perform
      TestSupport::JobsCase::SEEN << :began
      sleep(0.005) until stopping?
      TestSupport::JobsCase::SEEN << :stopping
    end
  end

  def test_what_only_the_store_knows_of_is_given_back
    work(beat: 0.05)
    enqueue(NoteJob, 1, queue: "elsewhere")
    assert_equal(1, @store.claim(lease, %w[elsewhere], 1).size)
    await_counts(running: 0, queue: 1)
    assert_nil(only(:queue)["raffia"], "nothing has died")
    assert_equal([1], logged("claims released").map { |line| line["jobs"] })
  end

  def test_what_only_the_worker_knows_of_is_lost
    work(beat: 0.05)
    enqueue(PatientJob)
    assert_equal(:began, seen)
    @store.pause("default")
    assert_equal(1, @store.release_keys(lease, @store.claim_keys(lease)))
    assert_equal(:stopping, seen)
    await_counts(running: 0, queue: 1)
    assert_equal(1, logged("claim lost").size)
    wait_until { logged("ack too late").any? }
  end

  class SlowCallbackJob
    include Raffia::Job

    options retry: 0
    on_exhausted do |*|
      TestSupport::JobsCase::SEEN << :began
      sleep(0.005) until TestSupport::JobsCase::SEEN.empty?
      sleep(0.3)
      TestSupport::JobsCase::SEEN << Raffia::Jobs::Worker::Run.current.stopping?
    end

    def perform = raise("it fails")
  end

  # The store has let go of a job that has failed for good, before its callback has ended.
  def test_a_callback_may_take_longer_than_signs_of_life
    work(beat: 0.02)
    enqueue(SlowCallbackJob, retry: 0)
    assert_equal(:began, seen)
    assert_equal([false], [SEEN.pop(timeout: PATIENCE)], "whether it was cancelled")
    await_counts(running: 0, dead: 1)
    assert_empty(logged("claim lost"))
  end

  # The store gives each order once.
  def test_an_order_counts_when_the_comparison_fails
    handle = work(beat: 0.05)
    @store.define_singleton_method(:claim_keys) do |_lease|
      raise Raffia::Jobs::StoreUnavailable, "it went away"
    end
    @store.order(@store.processes.first["identity"], "quiet")
    wait_until { handle.worker.quiet? }
  end

  def test_why_the_last_sign_of_life_was_not_written_is_reported
    handle = work(beat: 0.05)
    assert_nil(handle.worker.report["error"])
    @store.define_singleton_method(:beat) do |*, **|
      raise Raffia::Jobs::StoreUnavailable, "it went away"
    end
    wait_until { handle.worker.report["error"] == "it went away" }
    @store.singleton_class.remove_method(:beat)
    wait_until { handle.worker.report["error"].nil? }
  end

  # Jobs begin and end all the time while the worker compares.
  def test_what_runs_is_left_alone
    work(beat: 0.001)
    300.times { |n| enqueue(NoteJob, n) }
    assert_equal((0...300).to_a, Array.new(300) { seen.first }.sort)
    await_counts(running: 0, queue: 0)
    assert_empty(logged("claims released"))
    assert_empty(logged("claim lost"))
  end

  private

  def lease
    worker = @store.processes.first
    Jobs::Lease.new(identity: worker["identity"], token: worker["lease"], ttl: 15)
  end
end
