# frozen_string_literal: true

require_relative "../program_case"

class CompatDelayedJobTest < Raffia::CompatProgramCase
  COMPAT = ["-rraffia/compat"].freeze
  JOBS = <<~'RUBY'
    require "delayed_job"
    require "delayed_job_active_record"
    require "date"
    require "json"

    NewsletterJob = Struct.new(:text, :emails, :extra) do
      def perform = puts("#{text} to #{emails.join(",")} #{extra.inspect}")
    end

    class HookedJob
      def initialize(word) = @word = word
      def enqueue(job) = (puts("enqueue #{job.queue}"); job.priority = 3)
      def before(job) = puts("before #{job.id.size}")
      def perform = @word == :fail ? raise(ArgumentError, "on purpose") : puts(@word)
      def success(job) = puts("success")
      def error(job, error) = puts("error #{error.message}, #{job.attempts}")
      def after(job) = puts("after")
      def failure(job) = puts("failure #{job.last_error}")
      def max_attempts = 1
      def queue_name = "hooked"
    end

    class Report
      attr_reader :name
      def initialize(name) = @name = name
      def print(copies, size: "A4") = puts("#{name}: #{copies} #{size}")
      def quiet! = puts("quiet #{name}")
      def ==(other) = other.is_a?(Report) && name == other.name
      handle_asynchronously :print, priority: 7, queue: ->(report) { "q-#{report.name}" }
      handle_asynchronously :quiet!
      def self.clean(*args) = puts("cleaned #{args.to_json}")
    end

    def entries(set = :queue)
      store = Raffia::Jobs.store
      queues = (set == :queue) ? store.queues.map { |queue| queue["name"] } : [nil]
      queues.flat_map { |queue| store.entries(set, queue:) }
    end

    def refused
      yield
      puts "none"
    rescue => error
      puts [error.class, error.message].join(": ")[0, 80].rstrip
    end
  RUBY

  def test_objects
    out = run_program(<<~RUBY, *COMPAT)
      #{JOBS + WORK}
      values = {sym: :x, "time" => Time.utc(2026, 1, 2, 3, 4, 5), 1 => Date.new(2026, 1, 2),
        r: 1..3, f: 1.5, n: nil, b: "\\xFF".b, d: [[true]]}
      job = Delayed::Job.enqueue(NewsletterJob.new("text", %w[a b], values), priority: -5)
      p job.id.size, entries.first.item.values_at("class", "wrapped", "retry", "raffia")
        .to_json
      Delayed::Job.enqueue(NewsletterJob.new("later", []), run_at: Time.now + 60, queue: "slow")
      p entries(:scheduled).map { |entry| [entry.queue, ((entry.at - Time.now.to_f) / 60).round] }
      work_off
    RUBY
    lines = out.lines(chomp: true)
    assert_equal ["24", %q("[\"Delayed::Job\",\"NewsletterJob\",24,{\"priority\":5}]"),
      '[["slow", 1]]'], lines.first(3)
    assert_equal({:sym => :x, "time" => "T", 1 => "D", :r => 1..3, :f => 1.5, :n => nil,
                  :b => "\xFF".b, :d => [[true]]}.inspect,
      lines[3].delete_prefix("text to a,b ").sub("2026-01-02 03:04:05 UTC", '"T"')
        .sub(/#<Date: 2026-01-02[^>]*>/, '"D"'))
  end

  def test_hooks
    out = run_program(<<~RUBY, *COMPAT)
      #{JOBS + WORK}
      Delayed::Job.enqueue(HookedJob.new("word"))
      work_off
      Delayed::Job.enqueue(HookedJob.new(:fail))
      work_off
      p entries(:dead).map { |entry| entry.item.values_at("queue", "error_class") }
    RUBY
    assert_equal <<~OUT, out
      enqueue hooked
      before 24
      word
      success
      after
      enqueue hooked
      before 24
      error on purpose, 0
      after
      failure on purpose
      [["hooked", "ArgumentError"]]
    OUT
  end

  def test_delay_and_handle_asynchronously
    out = run_program(<<~RUBY, *COMPAT)
      #{JOBS + WORK}
      report = Report.new("a")
      report.print(2, size: "A3")
      report.quiet!
      report.delay(queue: "x", priority: 1).print_without_delay(1)
      refused { Report.delay.clean(1) }
      Delayed.permit("Report")
      Report.delay.clean(1, :b)
      p entries.map { |entry|
        [entry.queue, entry.item["wrapped"], entry.item.dig("raffia", "priority")] }
      work_off
      Delayed::Worker.delay_jobs = false
      report.print(3)
    RUBY
    lines = out.lines(chomp: true)
    assert_match(/\ADelayed::NotPermitted: Report is not permitted/, lines.shift)
    assert_equal [["q-a", "Report#print_without_delay", -7],
      ["default", "Report#quiet_without_delay!", nil],
      ["x", "Report#print_without_delay", -1], ["default", "Report.clean", nil]].sort_by(&:inspect),
      eval(lines.shift).sort_by(&:inspect) # standard:disable Security/Eval
    assert_equal ["a: 1 A4", "a: 2 A3", "a: 3 A4", "cleaned [1,\"b\"]", "quiet a"], lines.sort
  end

  def test_what_is_not_permitted_is_refused_where_it_is_enqueued
    out = run_program(<<~RUBY, *COMPAT)
      #{JOBS}
      class Plain
        def self.work = nil
        def work = nil
      end
      Delayed.permit("Listed")
      class Listed
        def self.work = nil
      end
      refused { Plain.delay.work }
      refused { Plain.new.delay.work }
      refused { Delayed::Job.enqueue(NewsletterJob.new(Plain.new)) }
      refused { Listed.delay.work }
      refused { Listed.delay.class_eval("puts 1") }
      refused { Listed.delay.system("echo broken in") }
      refused { Kernel.delay.system("echo broken in") }
      refused { Delayed::Job.enqueue(Plain.new) }
      refused { Delayed::Job.enqueue(NewsletterJob.new(-> {})) }
      refused { Delayed::Job.enqueue(NewsletterJob.new(Float::NAN)) }
      refused { Delayed::Job.enqueue(NewsletterJob.new(1), cron: 2) }
      refused { Delayed::Job.where(1) }
      refused { Delayed::Worker.new }
      p entries.size
    RUBY
    assert_equal <<~OUT, out
      Delayed::NotPermitted: Plain is not permitted in delayed jobs: where the program
      Delayed::NotPermitted: Plain is not permitted in delayed jobs: where the program
      Delayed::NotPermitted: Plain is not permitted in delayed jobs: where the program
      none
      Delayed::NotPermitted: Listed: class_eval is not permitted in delayed jobs: it i
      Delayed::NotPermitted: Listed: system is not permitted in delayed jobs: it is a
      Delayed::NotPermitted: Kernel: system is not permitted in delayed jobs: it is a
      ArgumentError: Cannot enqueue items which do not respond to perform
      ArgumentError: a Proc cannot be in a delayed job
      ArgumentError: NaN cannot be in a delayed job
      ArgumentError: a delayed job has priority, run_at and queue, and no cron
      Delayed::NotProvided: Delayed::Job.where is not there: use Raffia::Jobs.store, `
      Delayed::NotProvided: Delayed::Worker.new is not there: use `raffia work`, or Ra
      1
    OUT
  end

  # Payloads that somebody else has written into the store.
  def test_forged_jobs_are_refused
    out = run_program(<<~RUBY, *COMPAT)
      #{JOBS}
      system = {"type" => "call", "method" => "system", "args" => ["echo broken in"]}
      kernel = {"type" => "class", "class" => "Kernel"}
      report = {"type" => "class", "class" => "Report"}
      erb = {"type" => "object", "class" => "ERB", "fields" => {"src" => "puts 'broken in'"}}
      [system.merge("target" => kernel), system.merge("target" => report),
        {"type" => "object", "class" => "Gem::Installer", "fields" => {"i" => "x"}},
        {"type" => "object", "class" => "NewsletterJob", "fields" => {"text" =>
          erb}}, {"type" => "record", "class" => "File", "id" => "/etc/passwd"},
        {"type" => "symbol", "value" => "a"},
        {"type" => "object", "class" => "Report; system", "fields" => {}}, 7, nil,
        {"type" => "struct", "class" => "NewsletterJob", "fields" => {"a b" => 1}},
        {"type" => "yaml", "value" => "--- !ruby/object:Delayed::PerformableMethod\\nobject: " \
          "!ruby/class Kernel\\nmethod_name: :system\\nargs: [echo broken in]\\n"}].each do |tree|
        refused { Delayed::ObjectReader.job(tree).perform }
      end
    RUBY
    refute_match(/^broken in|^none/, out)
    assert_equal 11, out.lines.size
    assert_equal %w[Delayed::DeserializationError Delayed::NotPermitted],
      out.lines.map { |line| line[/\A[^ ]+(?=: )/] }.uniq.sort
  end
end
