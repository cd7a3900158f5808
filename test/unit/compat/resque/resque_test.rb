# frozen_string_literal: true

require_relative "../program_case"

class CompatResqueTest < Raffia::CompatProgramCase
  JOBS = <<~'RUBY'
    require "resque"
    require "resque-scheduler"
    Resque.redis = "localhost:6379"

    class Archive
      @queue = :file_serve
      def self.before_enqueue_check(*args) = args.first != :no
      def self.after_enqueue_say(*args) = puts("enqueued #{args.to_json}")
      def self.before_perform_skip(*args) = args == ["skip"] && raise(Resque::Job::DontPerform)
      def self.around_perform_one(*args)
        print "<"
        yield
        print ">"
      end
      def self.after_perform_say(*) = puts(" done")
      def self.on_failure_say(error, *args) = puts(" #{error.message} #{args}")
      def self.perform(*args)
        raise ArgumentError, "on purpose" if args.first == "fail"
        print args.to_json
      end
    end

    module Report
      def self.queue = :reports
      def self.perform(name) = puts("report #{name}")
    end
  RUBY
  COMPAT = ["-rraffia/compat"].freeze

  def test_jobs_and_their_hooks
    out = run_program(<<~RUBY, *COMPAT)
      #{JOBS + WORK}
      p Resque.enqueue(Archive, 1, :two, {three: nil}), Resque.enqueue(Archive, :no)
      Resque.enqueue(Archive, "skip")
      Resque.enqueue(Archive, "fail")
      Resque.enqueue_to("other", Report, "a")
      p Resque.size(:file_serve), Resque.queues
      puts Resque.peek("other").to_json
      work_off
      p Raffia::Jobs.store.entries(:dead).map { |entry|
        entry.item.values_at("class", "args", "error_class", "queue") }
    RUBY
    assert_equal <<~OUT.lines.sort, out.lines.sort
      enqueued [1,"two",{"three":null}]
      enqueued ["skip"]
      enqueued ["fail"]
      true
      nil
      3
      ["file_serve", "other"]
      {"class":"Report","args":["a"]}
      <[1,"two",{"three":null}]> done
      < on purpose ["fail"]
      report a
      [["Archive", ["fail"], "ArgumentError", "file_serve"]]
    OUT
  end

  def test_delayed_jobs
    out = run_program(<<~RUBY, *COMPAT)
      #{JOBS}
      Resque.enqueue_in(60, Report, "a")
      Resque.enqueue_at(Time.now + 120, Report, "b")
      Resque.enqueue_in_with_queue(:slow, 60, Report, "c")
      Resque.enqueue_at_with_queue(:slow, Time.at(0), Report, "now")
      entries = Raffia::Jobs.store.entries(:scheduled)
      p entries.map { |entry|
        [entry.queue, entry.item["args"], ((entry.at - Time.now.to_f) / 60).round] }
      p Resque.remove_delayed(Report, "b")
      p Resque.delayed?(Report, "b"), Resque.delayed?(Report, "a")
      p Resque.delay_or_enqueue_in(600, Report, "a"), Resque.size("slow")
      begin
        Resque.enqueue_in("soon", Report)
      rescue ArgumentError => error
        puts error.message
      end
    RUBY
    lines = out.lines(chomp: true)
    assert_equal [["reports", ["a"], 1], ["slow", ["c"], 1], ["reports", ["b"], 2]].sort,
      eval(lines.shift).sort # standard:disable Security/Eval
    assert_equal ["1", "false", "true", "1", "1", "Please supply a numeric number of seconds"],
      lines
  end

  def test_dequeue_and_inline
    out = run_program(<<~RUBY, *COMPAT)
      #{JOBS}
      [1, 2, 2].each { |number| Resque.enqueue_to(:reports, Report, number) }
      p Resque.dequeue(Report, 2), Resque.size(:reports)
      p Resque.dequeue(Report), Resque.size(:reports)
      Resque.inline = true
      Resque.enqueue(Report, :now)
    RUBY
    assert_equal "2\n1\n1\n0\nreport now\n", out
  end

  def test_errors_say_what_to_do
    out = run_program(<<~RUBY, *COMPAT)
      #{JOBS}
      Lost = Class.new { def self.perform = nil }
      [-> { Resque.enqueue(Lost) }, -> { Resque.push(:a, {"class" => nil, "args" => []}) },
        -> { Resque.enqueue_to(:a, nil) }, -> { Resque.redis }, -> { Resque.workers },
        -> { Resque.redis = 7 }].each do |call|
        call.call
        puts "none"
      rescue => error
        puts [error.class, error.message].join(": ")[0, 80]
      end
    RUBY
    assert_equal <<~OUT, out
      Resque::NoQueueError: Jobs must be placed onto a queue. No queue could be inferr
      Raffia::ConfigError: a job needs a class with a name: nil is none
      Resque::NoClassError: Jobs must be given a class.
      Resque::NotProvided: Resque.redis is not there: use Raffia::Jobs.store, or a Red
      Resque::NotProvided: Resque.workers is not there: use Raffia::Jobs.store.process
      ArgumentError: Resque.redis = takes an address of Redis, such as redis://localho
    OUT
  end

  def test_the_redis_of_the_program_is_the_store
    out = run_program(<<~RUBY, *COMPAT, env: {"RAFFIA_STORE" => nil})
      require "resque"
      ["localhost:6380", "localhost:6380:2/space", "rediss://a/1", {host: "b", db: 3}].each do |one|
        Resque.redis = one
        puts Raffia::Jobs::Setup.current.default
      end
    RUBY
    assert_equal "redis://localhost:6380/0\nredis://localhost:6380/2\nrediss://a/1\n" \
      "redis://b:6379/3\n", out
  end

  def test_a_payload_of_a_class_that_is_no_job_is_refused
    out = run_program(<<~RUBY, *COMPAT)
      #{JOBS}
      %w[File Kernel Nowhere].each do |name|
        Raffia::Jobs::Execution.job_class(name)
      rescue Raffia::Jobs::UnknownJob
        puts name
      end
    RUBY
    assert_equal "File\nKernel\nNowhere\n", out
  end
end
