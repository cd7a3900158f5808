# frozen_string_literal: true

require "support/jobs_case"

# Jobs whose rate is over, and those that another service refuses.
class JobsWorkerRateTest < TestSupport::JobsCase
  Jobs = Raffia::Jobs

  class RatedJob
    include Raffia::Job

    options rate: 3, per: 0.4

    def perform(number) = TestSupport::JobsCase::SEEN << number
  end

  class RefusedJob
    include Raffia::Job

    def perform(*)
      TestSupport::JobsCase::SEEN << :refused
      raise Jobs::RateLimited.new(retry_after: 600)
    end
  end

  class RefusedRatedJob < RefusedJob
    options rate: 100, per: 60, rate_key: ->(account) { account }
  end

  def test_jobs_over_their_rate_run_later_without_a_retry
    handle = work
    7.times { |number| RatedJob.perform_async(number) }
    assert_equal((0..6).to_a, Array.new(7) { seen })
    await_counts(queue: 0, running: 0, blocked: 0, retry: 0)
    assert_equal(7, handle.worker.figures[:processed])
  end

  def test_a_refused_job_is_tried_later_and_is_no_failure
    handle = work
    RefusedJob.perform_async
    assert_equal(:refused, seen)
    await_counts(retry: 1, running: 0)
    entry = Jobs.store.entries(:retry).first
    assert_in_delta(Time.now.to_f + 600, entry.at, 60)
    assert_nil(entry.item["retry_count"])
    assert_equal(0, handle.worker.figures[:failed])
  end

  def test_a_refused_job_with_a_rate_closes_its_key
    work
    2.times { RefusedRatedJob.perform_async(7) }
    assert_equal(:refused, seen)
    await_counts(blocked: 2, running: 0, retry: 0)
    refute_nil(Jobs.store.rate("#{RefusedRatedJob.name}:7")["closed_until"])
  end
end
