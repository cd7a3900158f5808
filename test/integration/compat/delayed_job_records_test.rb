# frozen_string_literal: true

require_relative "../../unit/compat/program_case"

# Delayed Job's layer with rows of Active Record, and jobs that Delayed Job itself has stored.
class CompatDelayedJobRecordsTest < Raffia::CompatProgramCase
  MODELS = <<~'RUBY'
    require "active_record"
    ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: "shop.sqlite3")
    ActiveRecord::Base.logger = nil
    unless ActiveRecord::Base.connection.table_exists?(:stories)
      ActiveRecord::Schema.verbose = false
      ActiveRecord::Schema.define { create_table(:stories) { |table| table.string :title } }
    end

    class Story < ActiveRecord::Base
      scope :named, ->(title) { where(title:) }
      def tell(other, times: 1) = puts("#{title} and #{other.title} #{times}")
      def self.count_all(word) = puts("#{word} #{count}")
      def print(copies) = puts("#{title}: #{copies}")
    end

    NewsletterJob = Struct.new(:text, :story) do
      def perform = puts("#{text} #{story.title}")
    end
    $stdout.sync = true
  RUBY
  ASYNC = "Story.handle_asynchronously(:print, queue: \"press\")\n"

  def setup
    super
    %w[activerecord sqlite3 delayed_job_active_record].each do |name|
      if Gem::Specification.find_all_by_name(name).empty?
        skip "the gem #{name} is not installed (bin/setup --server)"
      end
    end
  end

  def test_rows_are_loaded_when_the_job_runs
    out = run_program(<<~RUBY, "-rraffia/compat")
      #{MODELS}
      require "delayed_job_active_record"
      #{ASYNC + WORK}
      a = Story.create!(title: "a")
      b = Story.create!(title: "b")
      a.delay.tell(b, times: 2)
      Story.delay.count_all("stories")
      b.delay.update!(title: "c")
      Delayed::Job.enqueue(NewsletterJob.new("news", a))
      a.print(7)
      a.update!(title: "A")
      work_off
      puts b.reload.title
      [-> { Story.delay.where("1=1") }, -> { Story.delay.class_eval("1") }, -> { a.delay.tap },
        -> { Story.delay.alias_attribute("x", "y") }, -> { Story.new.delay.save },
        -> { Story.delay.delete_all; puts "fine" }].each do |call|
        call.call
      rescue => error
        puts error.class
      end
      Story.delete_all
      a.dup.save! # an id of its own
      Delayed::Job.enqueue(NewsletterJob.new("lost", Story.last))
      Story.delete_all
      work_off
      p Raffia::Jobs.store.entries(:retry).map { |entry| entry.item["error_class"] }
    RUBY
    lines = out.lines(chomp: true)
    assert_includes ["A and b 2", "A and c 2"], lines.find { |line| line.start_with?("A and") }
    assert_equal ["A: 7", "news A", "stories 2", "c", *["Delayed::NotPermitted"] * 4,
      "ArgumentError", "fine", '["Delayed::DeserializationError"]'].sort,
      lines.grep_v(/A and/).sort
  end

  # The real gem enqueues, the jobs are imported, and a worker on the layer runs them.
  def test_jobs_of_the_gem_run_after_an_import
    run_program(<<~RUBY)
      #{MODELS}
      require "delayed_job_active_record"
      #{ASYNC}
      ActiveRecord::Schema.define do
        create_table :delayed_jobs do |table|
          table.integer :priority, default: 0
          table.integer :attempts, default: 0
          table.text :handler, :last_error
          table.datetime :run_at, :locked_at, :failed_at
          table.string :locked_by, :queue
          table.timestamps null: true
        end
      end
      a = Story.create!(title: "a")
      a.delay.tell(Story.create!(title: "b"), times: 2)
      Story.delay.count_all(:stories)
      Delayed::Job.enqueue(NewsletterJob.new("news", a))
      a.print(7)
    RUBY
    imported = run_program(<<~RUBY, "-rraffia/jobs/import")
      import = Raffia::Jobs::Import.new("delayed_job", "sqlite:shop.sqlite3",
        to: Raffia::Jobs.store, permitted: ["NewsletterJob"])
      puts import.run.to_h["sets"].to_a.join(" ")
    RUBY
    assert_equal "queue 4\n", imported
    out = run_program(<<~RUBY, "-rraffia/compat")
      #{MODELS}
      require "delayed_job_active_record"
      #{ASYNC + WORK}
      work_off
      p Raffia::Jobs.store.entries(:retry).map(&:item)
    RUBY
    assert_equal ["a and b 2", "stories 2", "news a", "a: 7", "[]"].sort,
      out.lines(chomp: true).sort
  end
end
