# frozen_string_literal: true

require "tmpdir"
require "support/jobs_mysql"
require "support/jobs_postgres"
require_relative "../../contract/jobs/redis_case"
require_relative "../../unit/jobs/web/web_case"

# The dashboard over the stores that people have: each shows the same, and does the same.
module JobsWebStores
  Jobs = Raffia::Jobs

  module Tour
    PAGES = %w[/ /queues /queue?queue=default /busy /scheduled /retries /dead /blocked /recurring
      /batches /batch?id=b1 /metrics /class?name=PageJob /processes].freeze

    def fill
      enqueue({"queue" => "waiting", "tags" => ["blue"]}, {"at" => Time.now.to_f + 1000},
        {"queue" => "limited", "raffia" => {"limit" => {"key" => "k", "max" => 1}}},
        {"queue" => "limited", "raffia" => {"limit" => {"key" => "k", "max" => 1}}})
      bury(3)
      @store.open_batch("b1", about: {"description" => "import", "created_at" => Time.now.to_f})
      schedule = Jobs::Recurring::Schedule.new(@client)
      schedule.add(Jobs::Recurring::Entry.build("sweep", 3600, "SweepJob"))
      @lease = @store.enroll("host:7:abc",
        {"hostname" => "host", "pid" => 7, "queues" => ["limited"], "concurrency" => 2,
         "started_at" => Time.now.to_f}, ttl: 600)
      claims = @store.claim(@lease, ["limited"], 2)
      @store.beat(@lease, {"busy" => 1, "work" => [work(claims.first)]}, tally: tally)
    end

    def work(claim)
      {"jid" => claim.item["jid"], "queue" => claim.queue, "payload" => claim.payload,
       "run_at" => Time.now.to_i, "tid" => "t", "on" => "fibers", "progress" => 0.5,
       "note" => "half", "backtrace" => ["a.rb:1"]}
    end

    def tally
      Jobs::Tally.new(processed: 4, failed: 1,
        classes: {"PageJob" => {"processed" => 4, "failed" => 1, "ms" => 60.0,
                                "histogram" => [3] + [0] * 25}})
    end

    def test_all_pages
      fill
      PAGES.each do |address|
        assert_equal 200, get(address).status, address
        get("/api#{address}").json
      end
      assert_match(/import/, get("/batches").body)
      busy = get("/busy").body
      assert_match(/50%.*half/m, busy)
      assert_match(%r{<pre>a\.rb:1</pre>},
        get("/job?jid=#{get("/api/busy").json["jobs"].first["jid"]}").body)
      assert_match(/15\.0|20 ms/, get("/class?name=PageJob").body)
      assert_equal [4, 1, [3] + [0] * 25],
        get("/api/metrics").json.first.values_at("processed", "failed", "histogram")
      assert_equal %w[limited waiting], get("/api/queues").json
        .map { |queue| queue["name"] } - ["default"]
      assert_equal({"queue" => 1, "scheduled" => 1, "blocked" => 1, "running" => 1, "dead" => 3},
        get("/api/").json.slice("queue", "scheduled", "blocked", "running", "dead"))
    end

    def test_workflows
      step = {"kind" => "job", "item" => {"class" => "PageJob", "args" => [], "queue" => "default"}}
      @store.open_workflow("w1", [{"name" => "first", **step},
        {"name" => "parts", **step, "kind" => "each", "from" => "first"}])
      claim = @store.claim(@store.enroll("host:7:abc", {}, ttl: 600), ["default"], 1).first
      claim.result = "[1,2]"
      @store.ack([claim])
      page = get("/workflow?id=w1").body
      assert_includes(page, "active, 0 of 2")
      assert_includes(page, "parts[1]")
      assert_includes(get("/workflows").body, "w1")
      assert_equal(303, post("/workflow", {"id" => "w1", "action" => "cancel"}).status)
      assert_equal("cancelled", get("/api/workflow?id=w1").json.fetch("state"))
    end

    def test_all_changes
      fill
      one, two, three = keys(:dead)
      change = ->(address, **fields) {
        post("/api#{address}", fields.transform_keys(&:to_s)).json["changed"]
      }
      assert_equal 1, change.call("/dead", action: "retry", key: one)
      assert_equal 0, change.call("/dead", action: "retry", key: one)
      assert_equal 1, change.call("/dead", action: "delete #{two}")
      assert_equal 1, change.call("/scheduled", action: "retry", key: keys(:scheduled).first)
      assert_equal 1, change.call("/blocked", action: "delete", key: keys(:blocked).first)
      assert_equal 2, change.call("/queue", queue: "default", action: "kill all")
      assert_equal 3, change.call("/dead", action: "delete all", match: "PageJob")
      assert_equal 0, change.call("/dead", action: "delete", key: three)
      change.call("/queues", action: "pause", queue: "waiting")
      assert(get("/api/queues").json.find { |queue| queue["name"] == "waiting" }["paused"])
      assert_equal 1, change.call("/queues", action: "clear", queue: "waiting")
      change.call("/processes", action: "quiet", worker: "host:7:abc")
      assert_equal ["quiet"], @store.beat(@lease)
      change.call("/recurring", action: "run", name: "sweep")
      assert_equal "SweepJob", @store.entries(:queue, queue: "default").first.item["class"]
      assert_equal({queue: 1, running: 1},
        @store.counts.slice(*Jobs::Store::SETS).reject { |_, count| count.zero? })
      assert_empty @store.check
    end
  end

  class OnSQLiteTest < JobsWebCase
    include Tour

    def setup
      @dir = Dir.mktmpdir("raffia-jobs")
      super
    rescue Raffia::MissingDependency => error
      skip error.message
    end

    def teardown
      super
      FileUtils.rm_rf(@dir)
    end

    def open_store = Jobs::Store.open("sqlite:#{@dir}/jobs.db")
  end

  class OnRedisTest < JobsWebCase
    include JobsRedisCase
    include Tour
  end

  class OnMySQLTest < JobsWebCase
    include TestSupport::JobsMySQL
    include Tour

    def open_store = Jobs::Store.open(address)
  end

  class OnPostgresTest < JobsWebCase
    include TestSupport::JobsPostgres
    include Tour

    def open_store = Jobs::Store.open(address)
  end
end
