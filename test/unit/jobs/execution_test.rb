# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

class JobsExecutionTest < Raffia::TestCase
  Execution = Raffia::Jobs::Execution
  NONE = Raffia::Jobs::Middleware.new

  class EchoJob
    include Raffia::Job

    def perform(*args) = [jid, run, stopping?, *args]
  end

  # A job class of another library.
  class Bare
    def perform(number) = number * 2
  end

  class BrokenJob
    include Raffia::Job

    def perform(*) = NoSuchThing.new
  end

  class Run
    def stopping? = true
  end

  class NoJob; end

  module Mixin
    def perform = nil
  end

  def item(job, *args) = {"class" => job.to_s, "args" => args, "jid" => "j"}

  def test_a_job_knows_its_id_and_its_run
    assert_equal(["j", nil, false, 1, 2], Execution.call(item(EchoJob, 1, 2), NONE))
    run = Run.new
    assert_equal(["j", run, true], Execution.call(item(EchoJob), NONE, run))
  end

  def test_any_class_with_perform_is_a_job
    assert_equal(10, Execution.call(item(Bare, 5), NONE))
  end

  def test_who_is_not_there_is_unknown
    ["NoSuchJob", "JobsExecutionTest::NoSuchJob", "NoSuch::Deep::Job", "lower", "", "A B",
      "::"].each do |name|
      error = assert_raises(Raffia::Jobs::UnknownJob, name) { Execution.call(item(name), NONE) }
      assert_match(/there is no class #{name} in this worker/, error.message)
    end
  end

  def test_what_has_no_perform_is_no_job
    [NoJob, Mixin, "RUBY_VERSION"].each do |what|
      assert_match(/is no job/,
        assert_raises(Raffia::Jobs::UnknownJob) { Execution.call(item(what), NONE) }.message)
    end
  end

  # A mistake in the job is the job's failure, not an unknown job.
  def test_a_name_that_a_job_does_not_know_is_its_own_error
    error = assert_raises(NameError) { Execution.call(item(BrokenJob), NONE) }
    assert_equal(:NoSuchThing, error.name)
  end

  def test_other_names_may_be_given
    Raffia::Jobs::Setup.current.aliases["legacy-name"] = Bare
    assert_equal(4, Execution.call(item("legacy-name", 2), NONE))
  ensure
    Raffia::Jobs::Setup.current.aliases.delete("legacy-name")
  end
end
