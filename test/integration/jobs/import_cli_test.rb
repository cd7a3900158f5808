# frozen_string_literal: true

require_relative "import_case"

# `raffia jobs import --from`, as people call it.
class JobsImportCLITest < Raffia::JobsImportCase
  CALL = "--- !ruby/object:Delayed::PerformableMethod\nobject: !ruby/class 'Story'\n" \
    "method_name: :clear\nargs: []\n"
  OWN = "--- !ruby/struct:NewsletterJob\ntext: hello\n"

  def setup
    super
    require_gems "sqlite3"
    require "sqlite3"
    @database = SQLite3::Database.new(File.join(@dir, "shop.db"))
    @database.execute("CREATE TABLE delayed_jobs (id INTEGER PRIMARY KEY, priority INTEGER, " \
      "attempts INTEGER, handler TEXT, last_error TEXT, run_at TEXT, locked_at TEXT, " \
      "failed_at TEXT, locked_by TEXT, queue TEXT, created_at TEXT)")
    [CALL, OWN].each { |handler|
      @database.execute("INSERT INTO delayed_jobs (priority, attempts, handler) VALUES (0, 0, ?)",
        [handler])
    }
  end

  def teardown
    @database&.close
    super
  end

  def test_a_dry_run_changes_nothing
    ended = call("--dry-run")
    assert_match(/would import 2 jobs .*: 1 queue, 1 dead/, ended.out)
    assert_match(/dead: 1, because its class NewsletterJob is not listed: --permit/, ended.out)
    assert_match(/delayed_job at sqlite:shop\.db: 2 waiting, 0 scheduled, 0 failed/, ended.err)
    assert_equal 2, rows
    assert_equal 0, @store.counts[:queue]
  end

  def test_imports_and_says_what_it_did
    ended = call("--json", "--permit", "NewsletterJob")
    report = JSON.parse(ended.out)
    assert_equal [2, {"queue" => 2}, {"Story.clear" => 1, "NewsletterJob" => 1}, false],
      report.values_at("total", "sets", "classes", "dry_run")
    assert_equal 0, rows
    assert_equal 2, @store.counts[:queue]
  end

  def test_a_map_gets_what_a_handler_says
    File.write(File.join(@dir, "map.rb"), <<~RUBY)
      ->(job) {
        tree = job["args"].first
        next job unless tree["class"] == "NewsletterJob"

        job.merge("class" => "SendNewsletter", "args" => [tree["fields"]["text"]])
      }
    RUBY
    assert_match(/imported 2 jobs .*: 2 queue$/, call("--map", "map.rb").out)
    assert_equal ["hello"],
      items(:queue, "default").find { |item| item["class"] == "SendNewsletter" }["args"]
  end

  def test_clear_errors
    {["--from", "delayed_job"] => /needs the address of its Redis or database/,
     ["--from", "que", "x"] => /there are resque, delayed_job, solid_queue, good_job/,
     ["--from", "solid_queue", "sqlite:shop.db"] => /has no table solid_queue_jobs/,
     ["--from", "delayed_job", "sqlite:none.db"] => /there is no database none\.db/,
     ["--from", "delayed_job", "sqlite:shop.db", "--map", "none.rb"] => /none\.rb/,
     ["--from", "good_job", "sqlite:shop.db"] => /GoodJob keeps jobs in PostgreSQL only/,
     ["--from", "delayed_job", "sqlite:shop.db", "--to", "memory:"] => /name the store of the workers/}
      .each do |arguments, message|
        ended = raffia("jobs", "import", "--to", @store.url, *arguments)
        refute_equal 0, ended.code, ended.out
        assert_match message, ended.err
        refute_match(/\.rb:\d+:in/, ended.err)
      end
    assert_equal 2, rows
  end

  def test_a_store_that_is_down_and_another_try
    ended = raffia("jobs", "import", "--from", "delayed_job", "sqlite:shop.db", "--to",
      "redis://127.0.0.1:1/0")
    refute_equal 0, ended.code
    assert_match(/\(0 jobs were imported; run it again to go on\)/, ended.err)
    assert_match(/imported 2 jobs/, call.out)
    assert_equal 2, @store.counts.values_at(:queue, :dead).sum
  end

  def test_beanstalkd_cannot_be_the_target
    ended = raffia("jobs", "import", "--from", "delayed_job", "sqlite:shop.db", "--to",
      "beanstalk://127.0.0.1:1/a")
    assert_match(/beanstalkd cannot do precondition/, ended.err)
    refute_match(/\.rb:\d+:in/, ended.err)
  end

  private

  def call(*arguments)
    ended = raffia("jobs", "import", "--from", "delayed_job", "sqlite:shop.db", "--to",
      @store.url, *arguments)
    assert_equal 0, ended.code, ended.err
    ended
  end

  def rows = @database.execute("SELECT COUNT(*) FROM delayed_jobs").dig(0, 0)
end
