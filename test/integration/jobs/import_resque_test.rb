# frozen_string_literal: true

require_relative "import_case"

class JobsImportResqueTest < Raffia::JobsImportCase
  PROGRAM = <<~'RUBY'
    require "resque"
    require "resque-scheduler"
    Resque.redis = ENV.fetch("REDIS")
    if ENV["SPACE"]
      Resque.redis = Redis::Namespace.new(ENV["SPACE"].to_sym, redis: Resque.redis.redis)
    end

    class Archive
      @queue = :file_serve
      def self.perform(*) = raise(ArgumentError, "on purpose")
    end

    Resque.enqueue(Archive, 1, "two", {"three" => [nil]})
    Resque.enqueue_to("low prio", Archive, 2)
    Resque.enqueue_at(Time.utc(2099, 1, 1), Archive, 3)
    Resque.enqueue_at(Time.utc(2099, 1, 1), Archive, 4)
    Resque.enqueue_to("failing", Archive, 5)
    worker = Resque::Worker.new("failing")
    worker.prepare
    worker.work_one_job
    Resque.redis.rpush("queue:file_serve", "no JSON \xFF")
    Resque.redis.rpush("queue:file_serve", JSON.generate(
      "class" => "ActiveJob::QueueAdapters::ResqueAdapter::JobWrapper", "args" => [
        {"job_class" => "MailJob", "queue_name" => "mail", "arguments" => [1]}]))
  RUBY

  def setup
    super
    require_gems "resque", "resque-scheduler", "redis-client"
    @url = "redis://127.0.0.1:#{TestSupport::Redis.running.port}/9"
    @redis = redis_client(@url)
  rescue TestSupport::Server::Missing => error
    skip error.message
  end

  def teardown
    @redis&.close
    super
  end

  def test_all_kinds_of_jobs
    run_program(PROGRAM, "REDIS" => @url)
    planned = plan("resque", @url)
    assert_equal [{queue: 3, scheduled: 2, dead: 2}, {"it is no JSON" => 1, "it had failed" => 1}],
      [planned.sets, planned.reasons]
    assert_equal planned.to_h, import("resque", @url).to_h
    check_jobs
    check_dead
    assert_equal 0, import("resque", @url).total, "it came twice"
    assert_empty @redis.call("KEYS", "*import*") + @redis.call("KEYS", "*timestamps*")
  end

  def test_a_namespace
    run_program(PROGRAM, "REDIS" => @url, "SPACE" => "shop")
    assert_equal 0, plan("resque", @url).total
    assert_equal 7, import("resque", "#{@url}?namespace=shop").total
  end

  def test_more_jobs_than_a_batch_keep_their_order
    jobs = Array.new(250) { |number| JSON.generate("class" => "Archive", "args" => [number]) }
    @redis.call("SADD", "resque:queues", "a")
    @redis.call("RPUSH", "resque:queue:a", *jobs)
    import("resque", @url, slice: 100)
    assert_equal (0...250).to_a, items(:queue, "a").map { |item| item["args"][0] }
  end

  def test_a_map
    @redis.call("SADD", "resque:queues", "a")
    %w[Old Gone].each do |name|
      @redis.call("RPUSH", "resque:queue:a", JSON.generate("class" => name, "args" => [1]))
    end
    import("resque", @url, map: ->(job) {
      job.merge("class" => "New", "args" => [job["args"]]) if job["class"] == "Old"
    })
    assert_equal ["New", [[1]], "a"], items(:queue, "a").first.values_at("class", "args", "queue")
    assert_equal "map.rb gave nil for it", items(:dead).first["error_message"]
  end

  def test_follow_imports_what_comes_later
    import = Import.new("resque", @url, to: @store)
    thread = Thread.new { import.run(follow: true) }
    @redis.call("SADD", "resque:queues", "a")
    @redis.call("RPUSH", "resque:queue:a", JSON.generate("class" => "Archive", "args" => []))
    wait_until { items(:queue, "a").size == 1 }
    import.stop
    assert_equal 1, thread.value.total
  ensure
    import.stop
    thread&.join
    import.close
  end

  def test_jobs_go_to_any_store
    @redis.call("SADD", "resque:queues", "a")
    stores.each do |store|
      @redis.call("RPUSH", "resque:queue:a", JSON.generate("class" => "Archive", "args" => [1]))
      failed = {"payload" => {"class" => "Archive", "args" => [2]}, "queue" => "a"}
      @redis.call("RPUSH", "resque:failed", JSON.generate(failed))
      one = Import.new("resque", @url, to: store)
      assert_equal({queue: 1, dead: 1}, one.run.sets)
      one.close
      assert_equal [1, 0, 1], store.counts.values_at(:queue, :scheduled, :dead)
      assert_empty store.check
    ensure
      store.close
    end
  end

  def test_refusals
    assert_raises(Raffia::ConfigError) { import("beanstalk", @url) }
    assert_raises(Raffia::ConfigError) do
      Import.new("resque", @url, to: Jobs::Store.open("memory:"))
    end
    assert_raises(Jobs::StoreUnavailable) { import("resque", "redis://127.0.0.1:1/0") }
    assert_raises(Raffia::NotFound) { import("delayed_job", "sqlite:nowhere.db") }
    assert_raises(Raffia::ConfigError) { import("delayed_job", @url) }
    assert_raises(Raffia::ConfigError) { import("delayed_job", @store.tap(&:queues).url) }
  end

  private

  def stores
    target = @url.sub(%r{/9\z}, "/7")
    redis_client(target).close
    mysql = database(:mariadb).sub(/\A\w+:/, "mysql:")
    [target, database(:postgres), mysql].map { |url| Jobs::Store.open(url) }
  end

  def check_jobs
    mine, wrapped = items(:queue, "file_serve")
    assert_equal ["Archive", [1, "two", {"three" => [nil]}], 0],
      mine.values_at("class", "args", "retry")
    assert_equal %w[Sidekiq::ActiveJob::Wrapper MailJob], wrapped.values_at("class", "wrapped")
    assert_equal [2], items(:queue, "low_prio").first["args"]
    assert_equal [[Time.utc(2099, 1, 1).to_f, [3]], [Time.utc(2099, 1, 1).to_f, [4]]],
      @store.entries(:scheduled).map { |entry| [entry.at, entry.item["args"]] }
  end

  def check_dead
    failed, broken = items(:dead).sort_by { |item| item["class"] }.reverse
    failed, broken = broken, failed if failed["class"] == "(unreadable)"
    assert_equal ["Archive", [5], "failing", "ArgumentError", "on purpose"],
      failed.values_at("class", "args", "queue", "error_class", "error_message")
    assert_equal "no JSON \xFF".b, broken.dig("raffia", "bytes").unpack1("m0")
  end
end
