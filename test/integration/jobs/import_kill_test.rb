# frozen_string_literal: true

require "delegate"
require_relative "import_case"

# An import that is killed between any two of its steps, and run again: nothing is lost, and nothing
# comes twice.
class JobsImportKillTest < Raffia::JobsImportCase
  JOBS = 25
  FAILED = 15

  # Kills its process before or after the n-th call of a step.
  class Killer < SimpleDelegator
    STEPS = %i[take enqueue kill delete write].freeze

    def initialize(object, step, nth, after)
      super(object)
      @step = step
      @nth = nth
      @after = after
      @calls = 0
    end

    STEPS.each do |name|
      define_method(name) do |*arguments, **options|
        fatal = name == @step && (@calls += 1) == @nth
        ::Process.kill(:KILL, ::Process.pid) if fatal && !@after
        result = __getobj__.public_send(name, *arguments, **options)
        ::Process.kill(:KILL, ::Process.pid) if fatal
        result
      end
    end
  end

  def setup
    super
    require_gems "sqlite3", "redis-client"
    @redis = redis_client(redis)
  rescue TestSupport::Server::Missing => error
    skip error.message
  end

  def teardown
    @redis&.close
    super
  end

  Killer::STEPS.product([1, 2], [false, true]).each do |step, nth, after|
    when_ = "#{after ? "after" : "before"} #{step} #{nth}"
    define_method(:"test_resque_killed_#{when_.tr(" ", "_")}") do
      fill_redis
      check("resque", redis, step, nth, after)
    end

    define_method(:"test_delayed_job_killed_#{when_.tr(" ", "_")}") do
      check("delayed_job", fill_table, step, nth, after)
    end
  end

  # Also two at a time, which may read the same batch.
  def test_kills_at_any_time_with_two_imports
    url = fill_table(400)
    20.times do |number|
      pids = Array.new(2) { start("delayed_job", url, slice: 7) }
      sleep(0.02 * number)
      pids.each { |pid| ::Process.kill(:KILL, pid) }
      pids.each { |pid| ::Process.wait(pid) }
    end
    pids = Array.new(2) { start("delayed_job", url, slice: 7) }
    pids.each { |pid| assert_predicate ::Process.wait2(pid).last, :success? }
    assert_all(400)
  end

  def test_a_store_that_is_down_loses_nothing
    url = fill_table
    down = Import.new("delayed_job", url, to: Jobs::Store.open("redis://127.0.0.1:1/0"), slice: 10)
    assert_raises(Jobs::StoreUnavailable) { down.run }
    assert_equal [15, 15, 10], down.source.counts.values_at("waiting", "failed", "taken before")
    assert_equal JOBS + FAILED, plan("delayed_job", url).total
    down.close
    import("delayed_job", url, slice: 10)
    assert_all(JOBS)
  end

  private

  def redis = "redis://127.0.0.1:#{TestSupport::Redis.running.port}/8"

  def check(from, url, step, nth, after)
    pid = start(from, url, slice: 10) do |import|
      {source: %i[take delete], store: %i[enqueue kill write]}.each do |part, steps|
        next unless steps.include?(step)

        object = import.instance_variable_get(:"@#{part}")
        import.instance_variable_set(:"@#{part}", Killer.new(object, step, nth, after))
      end
    end
    status = ::Process.wait2(pid).last
    assert_equal 9, status.termsig, "it was not killed"
    import(from, url, slice: 10)
    assert_all(JOBS)
  end

  # In a process of its own.
  def start(from, url, slice:)
    address = @store.url
    @store.close
    fork do
      store = Jobs::Store.open(address)
      one = Import.new(from, url, to: store, slice:)
      yield one if block_given?
      one.run
      store.close
      exit!(0)
    rescue => error
      warn error.full_message
      exit!(1)
    end
  end

  def assert_all(count)
    numbers = items(:queue, "a").map { |item| number(item) }
    assert_equal (0...count).to_a, numbers.sort
    assert_equal FAILED, items(:dead).size
    assert_equal 0, @store.counts[:scheduled]
    assert_empty @store.check
  end

  def number(item)
    argument = item["args"].first
    argument.is_a?(Hash) ? argument["arguments"].first : argument
  end

  def fill_redis
    @redis.call("SADD", "resque:queues", "a")
    JOBS.times do |number|
      job = {"class" => "Archive", "args" => [number]}
      @redis.call("RPUSH", "resque:queue:a", JSON.generate(job))
    end
    FAILED.times do |number|
      failed = {"payload" => {"class" => "Archive", "args" => [number]}, "exception" => "E",
                "error" => "no", "queue" => "a"}
      @redis.call("RPUSH", "resque:failed", JSON.generate(failed))
    end
  end

  # Makes Delayed Job's table; the jobs are Active Jobs.
  def fill_table(count = JOBS)
    require "sqlite3"
    path = File.join(@dir, "shop.db")
    database = SQLite3::Database.new(path)
    database.execute("CREATE TABLE delayed_jobs (id INTEGER PRIMARY KEY, priority INTEGER, " \
      "attempts INTEGER, handler TEXT, last_error TEXT, run_at TEXT, locked_at TEXT, " \
      "failed_at TEXT, locked_by TEXT, queue TEXT, created_at TEXT)")
    database.transaction do
      (count + FAILED).times { |number| insert(database, number, number >= count) }
    end
    database.close
    "sqlite:#{path}"
  end

  def insert(database, number, failed)
    handler = "--- !ruby/object:ActiveJob::QueueAdapters::DelayedJobAdapter::JobWrapper\n" \
      "job_data:\n  job_class: MailJob\n  queue_name: a\n  arguments:\n  - #{number}\n"
    database.execute("INSERT INTO delayed_jobs (priority, attempts, handler, run_at, failed_at, " \
      "queue) VALUES (0, 0, ?, '2026-01-01 00:00:00', ?, 'a')",
      [handler, failed ? "2026-01-01 00:00:00.5" : nil])
  end
end
