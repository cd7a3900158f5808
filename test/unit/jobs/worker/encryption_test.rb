# frozen_string_literal: true

require "support/jobs_case"
require "tmpdir"

module Raffia
  # Encrypted jobs in a worker: where they run, and what is left of them in the store and in logs.
  class JobsWorkerEncryptionTest < TestSupport::JobsCase
    KEY = "\x01".b * 32
    PLAIN = "4111-1111-secret"

    # Writes its argument into a file, for all executors.
    class FileJob
      include Raffia::Job

      options encrypt: [1]
      def perform(file, text) = File.write(file, text)
    end

    class FailingJob
      include Raffia::Job

      options encrypt: true, retry: 1, backtrace: true
      on_exhausted { |item, error| raise "#{Raffia::Jobs.arguments(item)} #{error.message}" }
      def perform(text) = raise(ArgumentError, "cannot charge #{text}")
    end

    class RedactedJob
      include Raffia::Job

      options redact: true
      def perform(text)
        run.note = text
        raise("cannot charge #{text}")
      end
    end

    class MiddlewareJob < NoteJob
      options encrypt: true
    end

    # Notes the arguments that a worker's middleware sees.
    class Spy
      def initialize(seen) = @seen = seen

      def call(_job, item)
        @seen << item["args"]
        yield
      end
    end

    def setup
      super
      Jobs.keys = {:active => "k1", "k1" => KEY}
    end

    def teardown
      super
      Jobs.keys = nil
      FileUtils.rm_rf(@dir) if @dir
    end

    def open_store
      @dir = Dir.mktmpdir("raffia-encrypt")
      Jobs::Store.open("sqlite:#{@dir}/jobs.db")
    end

    # Files of the store, with what a checkpoint has not moved yet.
    def stored = Dir["#{@dir}/jobs.db*"].select { File.file?(_1) }.map { |file| File.binread(file) }.join

    def stays_secret(expected: nil)
      assert_includes(stored, expected) if expected
      refute_includes(stored, PLAIN)
      refute_includes(@out.string, PLAIN)
    end

    %i[fibers threads processes ractors auto].each do |on|
      define_method(:"test_on_#{on}") do
        skip "there are no Ractors" if on == :ractors && !defined?(Ractor)

        file = File.join(@dir, "written")
        FileJob.set(on: on).perform_async(file, PLAIN)
        stays_secret(expected: "raffia:enc")
        work
        await_counts(queue: 0, running: 0)
        assert_equal(PLAIN, File.read(file))
        stays_secret
      end
    end

    def test_an_error_is_encrypted_too
      FailingJob.perform_async(PLAIN)
      work
      await_counts(retry: 1)
      item = only(:retry)
      assert_equal(%w[ArgumentError (redacted)], item.values_at("error_class", "error_message"))
      revealed = Jobs::Encryption.reveal_all(item)
      assert_equal([[PLAIN], "cannot charge #{PLAIN}"], revealed.values_at("args", "error_message"))
      @store.requeue(@store.entries(:retry))
      await_counts(dead: 1)
      wait_until { logged("on_exhausted failed").any? }
      assert_equal(["(redacted)"], logged("on_exhausted failed").map { |line| line["error"] })
      stays_secret(expected: "ArgumentError")
      @store.requeue(@store.entries(:dead))
      await_counts(retry: 1)
    end

    # They are stored as plain text, and hidden from people only.
    def test_redacted_arguments_do_not_get_into_logs
      RedactedJob.perform_async(PLAIN)
      work
      await_counts(retry: 1)
      assert_equal(["(redacted)"], logged("failed").map { |line| line["error"] })
      refute_includes(@out.string, PLAIN)
      shown = Jobs::Redaction.item(only(:retry))
      assert_equal([["(redacted)"], "(redacted)"], shown.values_at("args", "error_message"))
    end

    def test_middleware_sees_no_plain_text
      seen = Thread::Queue.new
      Jobs::Setup.current.worker_middleware.add(spy = Spy.new(seen))
      MiddlewareJob.perform_async(PLAIN)
      work
      assert_equal([PLAIN], self.seen)
      assert(seen.pop.all? { |value| Jobs::Encryption.sealed?(value) })
    ensure
      Jobs::Setup.current.worker_middleware.remove(spy)
    end

    # Its key may come later; that is no failure, so a job without retries is kept.
    def test_a_job_without_its_key_waits_for_it
      MiddlewareJob.set(retry: false).perform_async(PLAIN)
      Jobs.keys = {:active => "k2", "k2" => KEY}
      work
      await_counts(retry: 1)
      entry = @store.entries(:retry).first
      assert_equal("Raffia::Jobs::UnknownKey", entry.item["error_class"])
      assert_includes(entry.item["error_message"], "no key k1")
      refute(entry.item.key?("retry_count"))
      assert_operator(entry.at, :>, Time.now.to_f + 5)
      Jobs.keys = {:active => "k1", "k1" => KEY}
      @store.requeue([entry])
      assert_equal([PLAIN], seen)
    end

    def test_a_changed_job_is_dead
      MiddlewareJob.set(retry: true).perform_async(PLAIN)
      MiddlewareJob.perform_async(1)
      one, other = @store.entries(:queue)
      @store.replace({one => JSON.generate({**one.item, "args" => other.item["args"]})})
      @store.delete([other])
      work
      await_counts(dead: 1)
      item = only(:dead)
      assert_equal("Raffia::Jobs::DecryptionFailed", item["error_class"])
      assert_includes(item["error_message"], "belongs to another job")
      assert_empty(SEEN)
    end
  end
end
