# frozen_string_literal: true

require "test_helper"
require "raffia/jobs/testing"
require "raffia/simulation"
require "logger"

# Modes for a whole suite, and virtual time.
class JobsTestingSuiteTest < Raffia::TestCase
  Testing = Raffia::Jobs::Testing
  SEEN = Thread::Queue.new

  class TimeJob
    include Raffia::Job

    def perform(name) = JobsTestingSuiteTest::SEEN << [name, Time.now.to_f]
  end

  class RatedJob < TimeJob
    options rate: 2, per: 60
  end

  class FailingJob
    include Raffia::Job

    options retry: 3
    retry_in { |count, _| 60 * (count + 1) }

    def perform(name)
      JobsTestingSuiteTest::SEEN << [name, Time.now.to_f]
      raise "no"
    end
  end

  def setup
    super
    SEEN.clear
    @given = Raffia::Jobs::Setup.current.given
  end

  def teardown
    Testing.disable!
    Raffia::Jobs::Setup.current.given = @given
    super
  end

  def test_fake_for_all_threads
    before = Thread.new { Thread.stop || TimeJob.perform_async("old thread") }
    wait_until { before.stop? }
    Testing.fake!
    before.run
    before.join
    TimeJob.perform_async("here")
    assert_equal [["old thread"], ["here"]], TimeJob.jobs.map { |job| job["args"] }
    assert_equal 2, Testing.drain_all
  end

  def test_inline_for_all_threads
    Testing.inline!
    Thread.new { TimeJob.perform_async("inline") }.join
    assert_equal "inline", SEEN.pop(timeout: 0)&.first
  end

  def test_the_last_mode_holds_and_disable_gives_the_store_back
    Raffia::Jobs.store = "memory:"
    store = Raffia::Jobs.store
    Testing.fake!
    Testing.inline!
    TimeJob.perform_async(1)
    assert_equal 1, SEEN.size
    Testing.disable!
    assert_same store, Raffia::Jobs.store
    Testing.disable!
    assert_same store, Raffia::Jobs.store
  end

  def test_blocks_are_for_the_fiber
    Testing.fake!
    store = Raffia::Jobs.store
    Testing.inline! { TimeJob.perform_async(1) }
    assert_equal 1, SEEN.size
    Testing.fake! { refute_same store, Raffia::Jobs.store }
    Testing.disable! { assert_same store, Raffia::Jobs.store }
  end

  def test_a_drain_is_not_held_up_by_rates
    Testing.fake!
    5.times { |number| RatedJob.perform_async(number) }
    assert_equal 5, RatedJob.drain
  end

  def test_jobs_that_a_worker_has_blocked_are_drained_too
    Testing.fake do
      5.times { |number| RatedJob.perform_async(number) }
      assert_equal 2, Testing.work_for(0.3)
      assert_equal 3, RatedJob.jobs.size
      assert_equal 3, RatedJob.drain
    end
  end

  def test_work_for_needs_a_store_of_tests
    Raffia::Jobs::Setup.current.given = Raffia::Jobs::Store.open("redis://127.0.0.1:1")
    assert_raises(Raffia::ConfigError) { Testing.work_for(1) }
  end

  # Retries, a rate and a scheduled job, in ten minutes of virtual time.
  def test_virtual_time
    times = nil
    report = Raffia::Simulation.explore(runs: 1) do
      Testing.fake do
        began = Time.now.to_f
        5.times { RatedJob.perform_async("rated") }
        FailingJob.perform_async("failing")
        TimeJob.perform_in(300, "later")
        Testing.work_for(600, log: ::Logger.new(IO::NULL))
        seen = Array.new(SEEN.size) { SEEN.pop }
        times = seen.group_by(&:first).transform_values { |rows| rows.map { |_, at| at - began } }
      end
    end
    assert_predicate report, :success?, report.failure&.error.inspect
    assert_equal [0, 0, 60, 60, 120], rounded(times["rated"], 10)
    assert_equal [0, 60, 180, 360], rounded(times["failing"], 20)
    assert_equal [300], rounded(times["later"], 20)
  end

  private

  def rounded(times, to) = times.map { |time| (time / to).round * to }
end
