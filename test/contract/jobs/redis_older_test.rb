# frozen_string_literal: true

require "logger"
require "test_helper"
require_relative "redis_case"
require_relative "store/case"
require "raffia/jobs/worker"

# A Redis comes back with the data of some seconds before, as a lagging replica does, while a worker
# lives on.
class JobsRedisOlderTest < Raffia::TestCase
  include JobsRedisCase
  include JobsStoreContract::Case

  SEEN = Thread::Queue.new
  GATE = Thread::Queue.new

  class SlowJob
    include Raffia::Job

    options limit: 1, limit_key: ->(n) { n }

    def perform(number)
      SEEN << number
      GATE.pop
    end
  end

  def setup
    super
    Jobs.store = store
    @worker = Jobs::Worker.new(store, beat: 0.05, recover: 0.2, log: Logger.new(nil)).start
  end

  def teardown
    @worker.stop
    Jobs::Setup.current.given = nil
    super
  end

  def test_finished_jobs_of_an_older_store_are_not_claimed_for_ever
    store.open_batch("b")
    Jobs::Client.with_batch("b") { 3.times { |number| SlowJob.perform_async(number) } }
    store.seal_batch("b")
    let_run(3) { @before = dump }
    wait_until { store.batch("b")["completed_at"] }
    restore
    assert_places(running: 3)
    let_run(3)
    wait_until { places.empty? && store.batch("b")["completed_at"] }
    3.times { |number| SlowJob.perform_async(number) }
    let_run(3)
    wait_until { places.empty? }
    assert_empty(store.check)
  end

  # The worker finishes forgotten jobs, and they count for nothing.
  def test_a_worker_whose_lease_was_forgotten_enrolls_again
    token = store.processes.first["lease"]
    SlowJob.perform_async(1)
    let_run(1) { redis.call("FLUSHDB") }
    wait_until { store.processes.any? { |one| one["lease"] > token } }
    SlowJob.perform_async(2)
    let_run(1)
    wait_until { places.empty? }
    assert_empty(store.check)
  end

  private

  # Waits until so many run, and lets them end.
  def let_run(count)
    Array.new(count) { SEEN.pop(timeout: PATIENCE) || flunk("no job came: #{places}") }
    yield if block_given?
    count.times { GATE << nil }
  end

  def dump = redis.call("KEYS", "*").to_h { |key| [key, redis.call("DUMP", key)] }

  # In one step: the worker beats in between otherwise, and its keys are in the way.
  def restore
    redis.multi do |transaction|
      transaction.call("FLUSHDB")
      @before.each { |key, bytes| transaction.call("RESTORE", key, 0, bytes) }
    end
  end
end
