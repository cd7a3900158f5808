# frozen_string_literal: true

require "support/daemon"
require "support/jobs_case"

if Gem::Specification.find_all_by_name("activejob").empty?
  class ActiveJobTest < Raffia::TestCase
    def test_the_adapter = skip("the gem activejob is not installed (bin/setup --server)")
  end
else
  require "active_job"
  require "active_job/queue_adapters/raffia_adapter"
  require "raffia/jobs/testing"

  # Active Job on Raffia, without Rails: a job's way into a payload and back.
  class ActiveJobTest < TestSupport::JobsCase
    SEEN = TestSupport::JobsCase::SEEN
    NAMES = Raffia::Integrations::ActiveJob::Wrapper::NAMES

    class Base < ActiveJob::Base
      self.logger = ::Logger.new(nil)
      self.queue_adapter = :raffia
    end

    class SayJob < Base
      def perform(*arguments, **options)
        SEEN << [arguments, options, provider_job_id, queue_adapter.stopping?]
      end
    end

    class FullJob < Base
      raffia_options retry: 2, tags: %w[a], timeout: 30, limit: 2, limit_key: ->(who, **) { who }
      queue_as :reports
      queue_with_priority 7

      def perform(who) = nil
    end

    class CardJob < Base
      self.logger = ::Logger.new(LOGGED = StringIO.new)
      raffia_options encrypt: true, unique: :done

      def perform(card, who:) = SEEN << [card, who]
    end

    def test_arguments_within_the_serialization_are_encrypted
      Jobs.keys = {:active => "k1", "k1" => "k" * 32}
      2.times { CardJob.perform_later("4111-plain", who: :ann_plain) }
      payload = @store.entries(:queue).tap { |all| assert_equal(1, all.size) }.first.payload
      refute_match(/plain/, payload)
      assert_equal(["(encrypted with the key k1)"] * 2,
        Jobs::Redaction.item(JSON.parse(payload))["args"][0]["arguments"])
      work
      assert_equal(["4111-plain", :ann_plain], seen)
      assert_match(/Performing.*CardJob/, CardJob::LOGGED.string)
      refute_match(/plain/, CardJob::LOGGED.string + @out.string)
    ensure
      Jobs.keys = nil
    end

    class OnceJob < Base
      raffia_options unique: :done

      def perform(*) = SEEN << executions
    end

    class SelfishJob < OnceJob
      retry_on(ArgumentError, wait: 0, attempts: 2)

      def perform(name)
        super
        raise(ArgumentError, name) if executions < 2
      end
    end

    class LoudJob < OnceJob
      raffia_options on_conflict: :raise
    end

    class LongJob < Base
      def perform
        SEEN << :began
        sleep(0.01) until queue_adapter.stopping?
        SEEN << :told
      end
    end

    def test_the_payload_is_that_of_sidekiqs_adapter
      job = SayJob.set(queue: "mail").perform_later(1, :two, at: Time.at(0).utc)
      item = only(:queue)
      assert_equal [NAMES.first, "ActiveJobTest::SayJob", "mail", true],
        item.values_at("class", "wrapped", "queue", "retry")
      assert_equal [job.provider_job_id, job.job_id], [item["jid"], item["args"].first["job_id"]]
      assert_equal ["args", "class", "created_at", "enqueued_at", "jid", "queue", "retry",
        "wrapped"], item.keys.sort
      assert_equal job.serialize["arguments"], item["args"].first["arguments"]
    end

    def test_a_worker_runs_it
      job = SayJob.perform_later(1, :two, day: Date.new(2026, 1, 2))
      work
      assert_equal [[1, :two], {day: Date.new(2026, 1, 2)}, job.provider_job_id, false], seen
      await_counts(queue: 0, running: 0, dead: 0)
    end

    def test_a_worker_knows_sidekiqs_wrappers_of_all_versions
      NAMES.each { |name| enqueue(name, SayJob.new(name).serialize) }
      work
      assert_equal NAMES.sort, [seen.first.first, seen.first.first].sort
    end

    def test_options_of_a_class_and_of_a_call
      FullJob.set(priority: -3, wait: 3600).perform_later("ann")
      item = only(:scheduled)
      assert_equal ["reports", 2, %w[a]], item.values_at("queue", "retry", "tags")
      assert_equal({"priority" => 3, "timeout" => 30,
        "limit" => {"key" => "ActiveJobTest::FullJob:ann", "max" => 2}}, item["raffia"])
      assert_in_delta Time.now.to_f + 3600, @store.entries(:scheduled).first.at, 60
      FullJob.perform_later("bob")
      assert_equal(-7, only(:queue).dig("raffia", "priority"))
    end

    def test_invalid_options
      assert_refused(/there is no option size/) { SayJob.raffia_options(size: 1) }
      assert_refused(/limit must be a whole number/) { SayJob.raffia_options(limit: 0) }
      assert_refused(/limit_key: has no effect without limit:/) { SayJob.raffia_options(limit_key: "a") }
      assert_empty SayJob.raffia_options
      assert_equal "a", Class.new(FullJob) { raffia_options limit_key: "a" }.raffia_options[:limit_key]
    end

    def test_many_at_once
      jobs = [SayJob.new(1), OnceJob.new(1), OnceJob.new(1), SayJob.new(2).set(wait: 60)]
      assert_nil ActiveJob.perform_all_later(jobs)
      assert_equal [true, true, false, true], jobs.map(&:successfully_enqueued?)
      assert_equal [2, 1], @store.counts.values_at(:queue, :scheduled)
      assert_equal [true, true, false, true], jobs.map { |job| !job.provider_job_id.nil? }
    end

    def test_a_unique_job_that_exists_already
      assert OnceJob.perform_later(1)
      OnceJob.perform_later(1) do |job|
        refute_predicate job, :successfully_enqueued?
        assert_match(/one like it is there already/, job.enqueue_error.message)
      end
      assert_equal false, OnceJob.perform_later(1)
      assert LoudJob.perform_later(1)
      assert_raises(Jobs::NotUnique) { LoudJob.perform_later(1) }
      assert_equal 2, @store.counts[:queue]
    end

    def test_a_unique_job_does_not_block_its_own_retry
      assert SelfishJob.perform_later("x")
      work
      assert_equal [1, 2], [seen, seen]
      await_counts(queue: 0, running: 0, scheduled: 0, retry: 0, dead: 0)
      assert SelfishJob.perform_later("x")
    end

    def test_an_unreachable_store_raises_in_the_caller
      Jobs.store = "redis://127.0.0.1:#{TestSupport::Daemon.free_port}/0"
      assert_raises(Jobs::StoreUnavailable) { SayJob.perform_later(1) }
      assert_raises(Jobs::StoreUnavailable) { ActiveJob.perform_all_later(SayJob.new(1)) }
    rescue Raffia::MissingDependency => error
      skip error.message
    end

    def test_arguments_that_active_job_cannot_serialize
      assert_raises(ActiveJob::SerializationError) { SayJob.perform_later(Object.new) }
      assert_equal 0, @store.counts[:queue]
    end

    %i[fibers threads].each do |place|
      define_method(:"test_a_job_is_told_that_its_worker_stops, on: #{place}") do
        LongJob.raffia_options(on: place)
        LongJob.perform_later
        worker = work(timeout: 60)
        assert_equal :began, seen
        refute_predicate LongJob.queue_adapter, :stopping? # who does not run in that worker
        worker.stop
        assert_equal :told, seen
      end
    end

    def test_jobs_join_a_transaction_of_the_same_database
      calls = []
      LongJob.queue_adapter = :raffia # an adapter of its own
      LongJob.queue_adapter.transaction = -> { calls << :asked && nil }
      LongJob.perform_later
      assert_equal [:asked], calls
      refute_predicate LongJob.queue_adapter, :enqueue_after_transaction_commit?
      assert_predicate SayJob.queue_adapter, :enqueue_after_transaction_commit?
      LongJob.queue_adapter.transaction = -> { Object.new }
      LongJob.perform_later # jobs in memory are in no transaction, and kept at once
      assert_equal 2, @store.counts[:queue]
    ensure
      LongJob.queue_adapter = :raffia
    end

    def test_when_jobs_of_a_transaction_are_stored
      require "raffia/integrations/rails/enqueue_timing"
      timing = Raffia::Integrations::Rails::EnqueueTiming
      base = Class.new(ActiveJob::Base) { self.queue_adapter = :raffia }
      timing.new(:in_transaction).apply(base)
      assert_nil base.queue_adapter.transaction.call # nobody is in a transaction
      without_a_database { assert_nil base.queue_adapter.transaction.call }
      timing.new(:now).apply(other = Class.new(ActiveJob::Base) { self.queue_adapter = :inline })
      assert_equal "inline", other.queue_adapter_name
      assert_refused(
        /enqueue = :soon means nothing here: use one of after_commit, in_transaction, now/
      ) { timing.new(:soon) }
    end

    # A program may have loaded Active Record without a database: then there is no pool.
    def without_a_database
      require "active_record"
      handler = ActiveRecord::Base.connection_handler
      ActiveRecord::Base.connection_handler =
        ActiveRecord::ConnectionAdapters::ConnectionHandler.new
      yield
    ensure
      ActiveRecord::Base.connection_handler = handler if handler
    end

    def test_tests_of_programs_need_no_store
      Jobs::Testing.inline { SayJob.perform_later(5) }
      assert_equal [5], seen.first
      Jobs::Testing.fake do
        SayJob.perform_later(6)
        assert_equal 0, SEEN.size
        assert_equal 1, Jobs::Testing.drain_all
      end
      assert_equal [6], seen.first
    end
  end
end
