# frozen_string_literal: true

require_relative "import_case"

# Solid Queue and GoodJob, which know Active Jobs only.
class JobsImportActiveJobTest < Raffia::JobsImportCase
  ENQUEUE = <<~RUBY
    MailJob.perform_later("text", {key: [1, nil]})
    MailJob.set(queue: "low", priority: 7).perform_later(2)
    MailJob.set(wait_until: Time.utc(2099, 1, 1)).perform_later(3)
  RUBY
  SOLID_QUEUE = <<~RUBY
    load File.join(Gem.loaded_specs["solid_queue"].full_gem_path,
      "lib/generators/solid_queue/install/templates/db/queue_schema.rb")
    class OnlyJob < ActiveJob::Base
      queue_as :only
      limits_concurrency key: ->(number) { number }
      def perform(*) = nil
    end
    #{ENQUEUE}
    2.times { OnlyJob.perform_later(1) }
    FailingJob.perform_later
    SolidQueue::Job.last.tap { |job| job.ready_execution.destroy! }
      .failed_with(ArgumentError.new("on purpose"))
    MailJob.set(queue: "busy").perform_later("running")
    SolidQueue::ReadyExecution.claim("busy", 1, nil)
    MailJob.set(queue: "done").perform_later
    SolidQueue::Job.last.tap { |job| job.ready_execution.destroy! }.finished!
  RUBY
  GOOD_JOB = <<~RUBY
    require "erb"
    template = File.join(Gem.loaded_specs["good_job"].full_gem_path,
      "lib/generators/good_job/templates/install/migrations/create_good_jobs.rb.erb")
    migration_version = "[8.0]"
    eval(ERB.new(File.read(template)).result(binding))
    ActiveRecord::Migration.verbose = false
    CreateGoodJobs.migrate(:up)
  RUBY
  GOOD_JOBS = <<~RUBY
    #{GOOD_JOB}
    #{ENQUEUE}
    FailingJob.perform_later
    begin
      GoodJob.perform_inline("default")
    rescue ArgumentError
    end
    MailJob.set(queue: "busy").perform_later("running")
    GoodJob::Job.last.advisory_lock!
    puts "ready"
    $stdout.flush
    $stdin.read
  RUBY

  %i[sqlite postgres mariadb].each do |kind|
    define_method(:"test_solid_queue_in_#{kind}") do
      require_gems "solid_queue", "railties"
      url = database(kind)
      run_program(APPLICATION + SOLID_QUEUE, "DATABASE_URL" => url, "ADAPTER" => "solid_queue",
        "GEM" => "solid_queue")
      planned = plan("solid_queue", url)
      assert_equal [{queue: 4, scheduled: 1, dead: 1}, {"it had failed" => 1}],
        [planned.sets, planned.reasons]
      assert_equal planned.to_h, import("solid_queue", url).to_h
      check_active_jobs
      assert_equal [{"key" => "OnlyJob/1", "max" => 1}] * 2,
        items(:queue, "only").map { |item| item.dig("raffia", "limit") }
      assert_equal 0, import("solid_queue", url).total, "it came twice"
      assert_equal({"waiting" => 0, "scheduled" => 0, "blocked" => 0, "failed" => 0,
        "running" => 1}, counts("solid_queue", url))
    end
  end

  def test_good_job
    require_gems "good_job", "railties"
    url = database(:postgres)
    env = {"DATABASE_URL" => url, "ADAPTER" => "good_job", "GEM" => "good_job",
           "GOOD_JOB_EXECUTION_MODE" => "external"}
    running_program(APPLICATION + GOOD_JOBS, env) do
      planned = plan("good_job", url)
      assert_equal [{queue: 3, scheduled: 1, dead: 1}, {"it had failed" => 1}],
        [planned.sets, planned.reasons]
      assert_equal 4, import("good_job", url).total, "the running one must stay"
    end
    check_active_jobs
    assert_empty items(:queue, "busy")
    assert_equal 1, import("good_job", url).total
    assert_equal 1, items(:queue, "busy").size
  end

  # By the payload that Raffia's own adapter writes.
  def test_imported_jobs_run
    require_gems "activejob"
    out = run_program(<<~'RUBY')
      require "active_job"
      require "raffia/jobs/testing"
      require "raffia/jobs/import/active_job_item"
      require "raffia/integrations/active_job"
      ActiveJob::Base.logger = nil
      class MailJob < ActiveJob::Base
        def perform(text, options) = puts("#{text} #{options[:key]}")
      end
      json = JSON.generate(MailJob.new("text", {key: :word}).serialize)
      Raffia::Jobs::Testing.fake do
        Raffia::Jobs.enqueue([Raffia::Jobs::Import::ActiveJobItem.parse(json)])
        Raffia::Jobs::Testing.drain_all
      end
    RUBY
    assert_equal "text word\n", out
  end

  private

  def counts(from, url)
    source = Raffia::Jobs::Import::Source.open(from, url)
    source.counts
  ensure
    source&.close
  end

  def running_program(text, env)
    command = [clean(env), RbConfig.ruby, "-W0", script(text)]
    Open3.popen3(*command, chdir: @dir) do |input, out, err, _|
      assert_equal "ready\n", out.gets, err.read_nonblock(10_000, exception: false).to_s
      yield
      input.close
    end
  end

  def check_active_jobs
    mail = items(:queue, "mail").first
    assert_equal ["MailJob", "Sidekiq::ActiveJob::Wrapper", 0],
      mail.values_at("wrapped", "class", "retry")
    assert_equal ["text", {"key" => [1, nil], "_aj_symbol_keys" => ["key"]}],
      mail["args"][0]["arguments"]
    assert_equal(-7, items(:queue, "low").first.dig("raffia", "priority"))
    later = @store.entries(:scheduled).first
    assert_equal [Time.utc(2099, 1, 1).to_f, [3]], [later.at, later.item["args"][0]["arguments"]]
    dead = items(:dead).first
    assert_equal %w[FailingJob ArgumentError], dead.values_at("wrapped", "error_class")
    assert_match(/on purpose/, dead["error_message"])
  end
end
