# frozen_string_literal: true

require "support/jobs_case"

# Handlers of failed jobs.
class JobsWorkerOnErrorTest < TestSupport::JobsCase
  Jobs = Raffia::Jobs

  class OddJob
    include Raffia::Job

    options retry: 1

    def perform(how, *)
      case how
      when "fine" then nil
      when "rate" then raise Jobs::RateLimited.new(retry_after: 900)
      when "interrupted" then raise Jobs::Interrupted
      when "discard" then raise ArgumentError, how
      else raise how
      end
    end

    retry_in { |_, error| error.is_a?(ArgumentError) ? :discard : 900 }
  end

  def setup
    super
    @errors = Thread::Queue.new
    @before = Jobs::Setup.current.error_handlers.dup
    Jobs.on_error { |error, job, verdict| @errors << [error.message, job, verdict] }
  end

  def teardown
    super
    Jobs::Setup.current.error_handlers.replace(@before)
  end

  def failure = @errors.pop(timeout: PATIENCE) || flunk("no error came\n#{@out.string}")

  def test_each_failure_is_told_once_with_its_verdict
    work
    jid = enqueue(OddJob, "first", "secret", retry: 1)
    message, job, verdict = failure
    assert_equal ["first", :retry, jid, OddJob.name, "default", 0],
      [message, verdict, *job.values_at("jid", "class", "queue", "retry_count")]
    refute_includes job.to_s, "secret"
    @store.requeue(@store.entries(:retry))
    message, job, verdict = failure
    assert_equal ["first", :dead, 1], [message, verdict, job["retry_count"]]
    enqueue(OddJob, "discard")
    assert_equal ["discard", :discard], failure.values_at(0, 2)
    assert_predicate @errors, :empty?
  end

  def test_a_class_that_is_missing_and_an_unreadable_payload
    work
    enqueue("NowhereJob")
    assert_match(/there is no class NowhereJob/, failure.first)
    @store.enqueue([Jobs::Draft.new(jid: "x", queue: "default", payload: "{", at: nil, extras: nil)])
    _, job, verdict = failure
    assert_equal ["(unreadable)", :dead], [job["class"], verdict]
  end

  # They are no failures.
  def test_what_is_not_told
    handle = work
    enqueue(OddJob, "rate")
    await_counts(retry: 1)
    stuck = enqueue(StuckJob, 1)
    seen
    handle.worker.cancel(stuck)
    seen
    await_counts(running: 0, queue: 0)
    enqueue(StuckJob, 2)
    seen
    handle.worker.stop
    handle.stop
    assert_predicate @errors, :empty?
  end

  def test_a_handler_that_raises_changes_nothing
    Jobs::Setup.current.error_handlers.unshift(->(*) { raise "in the handler" })
    work
    enqueue(OddJob, "first")
    assert_equal "first", failure.first
    await_counts(retry: 1, running: 0)
    assert_match(/in the handler/, logged("on_error failed").first["error"])
  end

  def test_a_block_is_needed
    assert_raises(Raffia::ConfigError) { Jobs.on_error }
  end
end
