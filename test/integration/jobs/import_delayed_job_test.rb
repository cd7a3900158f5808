# frozen_string_literal: true

require_relative "import_case"

class JobsImportDelayedJobTest < Raffia::JobsImportCase
  PROGRAM = <<~'RUBY'
    require "erb"
    template = File.join(Gem.loaded_specs["delayed_job_active_record"].full_gem_path,
      "lib/generators/delayed_job/templates/migration.rb")
    migration_version = "[8.0]"
    eval(ERB.new(File.read(template)).result(binding))
    ActiveRecord::Migration.verbose = false
    CreateDelayedJobs.migrate(:up)
    ActiveRecord::Schema.define { create_table(:stories) { |table| table.string :title } }

    class Story < ActiveRecord::Base
      def tell(*) = nil
      def print(*) = nil
      handle_asynchronously :print, priority: 7, queue: "press"
      def self.clear = nil
    end

    NewsletterJob = Struct.new(:text, :emails) do
      def perform = nil
    end

    MailJob.perform_later("text", {key: [1, nil]}, Date.new(2026, 1, 2))
    MailJob.set(wait_until: Time.utc(2099, 1, 1), priority: 3).perform_later(1)
    story = Story.create!(title: "A: title\nand more")
    story.delay(queue: "stories").tell("word", :word, 1.5, nil, Time.utc(2026, 1, 2, 3, 4, 5))
    story.print(story, "a" => 1, b: [true])
    Story.delay.clear
    Delayed::Job.enqueue(NewsletterJob.new("text", %w[a b]), priority: -1)
    FailingJob.perform_later
    Delayed::Worker.max_attempts = 1
    Delayed::Worker.destroy_failed_jobs = false
    Delayed::Job.last.tap { |job| Delayed::Worker.new(quiet: true).run(job) }
    Delayed::Worker.max_attempts = 25
    FailingJob.perform_later
    Delayed::Job.last.tap { |job| Delayed::Worker.new(quiet: true).run(job) }
    MailJob.perform_later("running")
    Delayed::Job.last.update!(locked_at: Time.now, locked_by: "another")
  RUBY

  def setup
    super
    require_gems "delayed_job_active_record", "railties"
  end

  %i[sqlite postgres mariadb].each do |kind|
    define_method(:"test_all_kinds_of_jobs_in_#{kind}") { check(fill(database(kind))) }
  end

  private

  def fill(url)
    run_program(APPLICATION + PROGRAM, "DATABASE_URL" => url, "ADAPTER" => "delayed_job",
      "GEM" => "delayed_job_active_record")
    url
  end

  def check(url)
    planned = plan("delayed_job", url, permitted: ["NewsletterJob"])
    assert_equal [{queue: 5, scheduled: 2, dead: 1}, {"it had failed" => 1}],
      [planned.sets, planned.reasons]
    assert_equal planned.to_h, import("delayed_job", url, permitted: ["NewsletterJob"]).to_h
    check_active_jobs
    check_calls
    assert_equal ["NewsletterJob", 1], [newsletter["wrapped"], newsletter.dig("raffia", "priority")]
    assert_equal 0, import("delayed_job", url).total, "it came twice"
    assert_equal 1, left(url), "the running one must stay"
  end

  def check_active_jobs
    mail = items(:queue, "mail").first
    assert_equal ["MailJob", "Sidekiq::ActiveJob::Wrapper", 24],
      mail.values_at("wrapped", "class", "retry")
    assert_equal ["text", {"key" => [1, nil], "_aj_symbol_keys" => ["key"]}],
      mail["args"][0]["arguments"].first(2)
    later = @store.entries(:scheduled).max_by(&:at)
    assert_equal [Time.utc(2099, 1, 1).to_f, -3], [later.at, later.item.dig("raffia", "priority")]
    again = @store.entries(:scheduled).min_by(&:at).item
    assert_equal ["FailingJob", 0, "on purpose"],
      again.values_at("wrapped", "retry_count", "error_message")
    dead = items(:dead).first
    assert_equal ["FailingJob", "on purpose", 0],
      dead.values_at("wrapped", "error_message", "retry_count")
  end

  def check_calls
    story = {"type" => "record", "class" => "Story", "id" => 1}
    told = items(:queue, "stories").first
    assert_equal ["Delayed::Job", "Story#tell"], told.values_at("class", "wrapped")
    assert_equal [{"type" => "call", "target" => story, "method" => "tell", "args" =>
      ["word", {"type" => "symbol", "value" => "word"}, 1.5, nil,
        {"type" => "time", "value" => "2026-01-02 03:04:05.000000000 Z"}]}], told["args"]
    printed = items(:queue, "press").first
    assert_equal [story, "print_without_delay", -7],
      [printed["args"][0]["args"][0], printed["args"][0]["method"],
        printed.dig("raffia", "priority")]
  end

  def newsletter = items(:queue, "default").find { |item| item["wrapped"] == "NewsletterJob" }

  def left(url)
    source = Raffia::Jobs::Import::Source.open("delayed_job", url)
    source.counts.values.sum
  ensure
    source&.close
  end
end
