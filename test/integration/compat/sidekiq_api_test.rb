# frozen_string_literal: true

require "json"
require "tmpdir"
require "support/jobs_mysql"
require "support/jobs_postgres"
require_relative "../../contract/jobs/redis_case"

# Calls of `require "sidekiq/api"` on each store, in subprocesses: this process may have the gem
# itself.
module CompatSidekiqAPI
  # Six waiting jobs, three scheduled, two to be retried, three dead, and one running.
  FILL = <<~RUBY
    require "raffia/compat/sidekiq"
    require "sidekiq/api"
    class MailJob
      include Sidekiq::Job
      sidekiq_options retry: 3, tags: ["a"]
    end
    STORE = Raffia::Jobs.store
    LEASE = STORE.enroll("host:7:abc",
      {"hostname" => "host", "pid" => 7, "tag" => "shop", "labels" => ["blue"],
      "queues" => %w[mail low], "weights" => {"mail" => 2, "low" => 1},
                                        "concurrency" => 4, "version" => "1",
                                          "started_at" => 1.5}, ttl: 600)
    def failing(name, count)
      MailJob.set(queue: "failing").perform_bulk(Array.new(count) { |index| [name, index] })
      STORE.claim(LEASE, ["failing"], count).each { |claim|
        yield claim, JSON.generate({**claim.item, "error_class" => "Bad",
          "error_message" => "no luck", "retry_count" => 1, "failed_at" => 1_700_000_000_000})
      }
    end
    failing("again", 2) { |claim, payload|
      STORE.retry(claim, payload, Time.now.to_f + 1000 + claim.item["args"].last)
    }
    failing("dead", 3) { |claim, payload| STORE.bury(claim, payload) && sleep(0.01) }
    MailJob.set(queue: "mail").perform_async("runs")
    RUNNING = STORE.claim(LEASE, ["mail"], 1).first
    STORE.beat(LEASE, {"busy" => 1, "quiet" => false, "rss" => 2048,
      "work" => [{"jid" => RUNNING.item["jid"], "queue" => "mail", "payload" => RUNNING.payload,
      "run_at" => 1_700_000_000, "tid" => "t1"}]},
      tally: Raffia::Jobs::Tally.new(processed: 9, failed: 5, classes: {}))
    WAITING = MailJob.set(queue: "mail").perform_bulk([[1], [2], [3], [4]]) +
      MailJob.perform_bulk([[5], [6]])
    LATER = MailJob.perform_bulk([["later", 1], ["later", 2], ["later", 3]],
      at: [100, 200, 300].map { |seconds| (Time.now.to_f + seconds).round(1) })
    def told = puts(JSON.generate(yield))
    MAIL, SCHEDULED, RETRIES, DEAD = Sidekiq::Queue.new(:mail), Sidekiq::ScheduledSet.new,
      Sidekiq::RetrySet.new, Sidekiq::DeadSet.new
  RUBY

  # Output of the script, run after FILL.
  def told(script)
    ENV["RAFFIA_STORE"] = store_url
    output_of(FILL + script).lines.map { |line| JSON.parse(line) }
  ensure
    ENV.delete("RAFFIA_STORE")
  end

  def test_numbers
    stats, queues, summary, history, nothing = told(<<~RUBY)
      stats = Sidekiq::Stats.new
      told {
        %i[processed failed enqueued scheduled_size retry_size dead_size processes_size
          workers_size].map { |name| stats.public_send(name) }
      }
      told { stats.queues.except("failing") }
      summary = stats.queue_summaries.first
      told {
        [summary.name, summary.size, summary.paused?, summary.latency.is_a?(Float),
          stats.default_queue_latency.is_a?(Float)]
      }
      told {
        [Sidekiq::Stats::History.new(2).processed.values,
          Sidekiq::Stats::History.new(1, Date.new(2020, 1, 1)).failed]
      }
      told {
        [0, 4000].map { |days| Sidekiq::Stats::History.new(days) rescue "refused" } +
          [(stats.reset rescue $!.class)]
      }
    RUBY
    assert_equal [9, 5, 6, 3, 2, 3, 1, 1], stats
    assert_equal({"mail" => 4, "default" => 2}, queues)
    assert_equal ["mail", 4, false, true, true], summary
    assert_equal [[9, 0], {"2020-01-01" => 0}], history
    assert_equal ["refused", "refused", "Sidekiq::NotProvided"], nothing
  end

  def test_queues_and_their_jobs
    answers = told(<<~RUBY)
      told {
        [Sidekiq::Queue.all.map(&:name) - ["failing"], MAIL.size,
          MAIL.map { |job| job.args.first }, MAIL.first.jid == WAITING[3],
          MAIL.latency.is_a?(Float),
          Sidekiq::Queue.new("none").then { |queue| [queue.size, queue.latency] }]
      }
      job = MAIL.find_job(WAITING[1])
      told {
        [job.klass, job.display_class, job.args, job.queue, job.tags, job["retry"],
          job.latency >= 0, Time.now - job.enqueued_at < 600, job.created_at <= job.enqueued_at,
          job.failed_at]
      }
      told {
        [job.delete, job.delete, MAIL.size, MAIL.find_job(WAITING[1]), MAIL.find_job(WAITING[4])]
      }
      told { MAIL.pause!; [MAIL.paused?, (MAIL.unpause!; MAIL.paused?)] }
      told { [(MAIL.each(&:delete); MAIL.size), Sidekiq::Queue.new.clear, Sidekiq::Queue.new.size] }
    RUBY
    assert_equal [%w[default mail], 4, [4, 3, 2, 1], true, true, [0, 0.0]], answers.shift
    assert_equal ["MailJob", "MailJob", [2], "mail", ["a"], 3, true, true, true, nil], answers.shift
    assert_equal [true, false, 3, nil, nil], answers.shift
    assert_equal [[true, false], [0, true, 0]], answers
  end

  def test_sets_and_their_jobs
    answers = told(<<~RUBY)
      told { [SCHEDULED, RETRIES, DEAD].map { |set| [set.size, set.map { |job| job.args.last }] } }
      told {
        [SCHEDULED.scan("later").count, SCHEDULED.scan("*MailJob*,2]*").map(&:jid) == [LATER[1]],
          SCHEDULED.find_job(LATER[2]).args, DEAD.find_job(LATER[2])]
      }
      job = DEAD.first
      told {
        [job.error?, job["error_class"], job.failed_at.to_i, job.at.utc?,
          job.id == "\#{job.score}|\#{job.jid}", SCHEDULED.first.error?,
          SCHEDULED.first.enqueued_at]
      }
      told {
        [SCHEDULED.fetch(SCHEDULED.first.score).map(&:jid) == [LATER[2]],
          SCHEDULED.fetch(Time.now.to_f..).map { |one| one.args.last },
          SCHEDULED.fetch(Time.now.to_f.., LATER[0]).size]
      }
      Sidekiq.default_configuration.death_handlers << ->(item, error) {
        told { [item["args"], error.message] }
      }
      told {
        [DEAD.first.add_to_queue, DEAD.size,
          Sidekiq::Queue.new("failing").map { |one| [one.args, one["retry_count"]] }]
      }
      told {
        [RETRIES.first.retry, RETRIES.size, SCHEDULED.first.kill, [SCHEDULED.size, DEAD.size],
          SCHEDULED.first.delete, SCHEDULED.delete(SCHEDULED.first.score, LATER[0]), SCHEDULED.size]
      }
      told {
        [DEAD.delete_by_value("dead", DEAD.first.value), DEAD.first.args,
          (RETRIES.kill_all; DEAD.size), (DEAD.retry_all; DEAD.size),
          Sidekiq::Queue.new("failing").size]
      }
      told {
        SCHEDULED.schedule(Time.now + 50, "class" => "MailJob", "args" => [9])
        [SCHEDULED.map(&:args), SCHEDULED.clear, SCHEDULED.size, DEAD.trim]
      }
    RUBY
    assert_equal [[3, [3, 2, 1]], [2, [1, 0]], [3, [2, 1, 0]]], answers.shift
    assert_equal [3, true, ["later", 3], nil], answers.shift
    assert_equal [true, "Bad", 1_700_000_000, true, true, false, nil], answers.shift
    assert_equal [true, [1, 2, 3], 1], answers.shift
    assert_equal [true, 2, [[["dead", 2], nil]]], answers.shift
    assert_equal [["later", 3], "Job killed by API"], answers.shift
    assert_equal [true, 1, true, [2, 3], true, true, 0], answers.shift
    assert_equal [true, ["dead", 1], 3, 0, 5], answers.shift
    assert_equal [[[9]], true, 0, nil], answers.shift
    assert_empty answers
  end

  def test_each_job_is_yielded_once_while_others_come
    left_out, twice = told(<<~RUBY)
      late = Time.now.to_f + 10_000
      MailJob.perform_bulk(Array.new(1200) { |index| [index] },
        at: Array.new(1200) { |index| late + index })
      seen = SCHEDULED.map { |job|
        job.args.last.tap { |index|
          MailJob.perform_bulk([["new"]] * 20, at: late - 10) if [1100, 600].include?(index)
        }
      }
      told { (0...1200).to_a - seen }
      told { (seen - ["new"]).tally.select { |index, times| times > 1 && index > 3 } }
    RUBY
    assert_empty left_out
    assert_empty twice
  end

  def test_death_handlers_are_called_for_killed_jobs
    answers = told(<<~RUBY)
      Sidekiq.default_configuration.death_handlers << ->(item, error) {
        SCHEDULED.find_job(LATER[1])&.delete
        told { [item["args"].last, error.message] }
      }
      SCHEDULED.kill_all(notify_failure: true, ex: RuntimeError.new("swept"))
      told { [SCHEDULED.size, DEAD.size] }
    RUBY
    assert_equal [[1, "swept"], [3, "swept"], [0, 5]], answers
  end

  def test_workers_and_their_running_jobs
    processes, one, orders, works, work, gone = told(<<~RUBY)
      all = Sidekiq::ProcessSet.new
      told {
        [all.size, all.total_concurrency, all.total_rss, all.leader, Sidekiq::ProcessSet["nobody"]]
      }
      process = Sidekiq::ProcessSet["host:7:abc"]
      told {
        [process.identity, process.tag, process.labels, process["hostname"], process["pid"],
          process["busy"], process.queues, process.weights, process.stopping?, process.embedded?,
          process.version]
      }
      told {
        [process.quiet!, process.stop!, process.dump_threads,
          STORE.beat(LEASE, {"quiet" => true}), Sidekiq::ProcessSet.new.first.stopping?]
      }
      STORE.beat(LEASE, {"busy" => 1,
        "work" => [{"jid" => RUNNING.item["jid"], "queue" => "mail",
        "payload" => RUNNING.payload, "run_at" => 1_700_000_000, "tid" => "t1"}]})
      told {
        [Sidekiq::WorkSet.new.size,
          Sidekiq::Workers.new.map { |identity, tid, work| [identity, tid, work.process_id,
          work.thread_id] }]
      }
      work = Sidekiq::WorkSet.new.find_work(RUNNING.item["jid"])
      told {
        [work.queue, work.run_at.to_i, work.job.klass, work.job.args,
          work.payload == RUNNING.payload, Sidekiq::WorkSet.new.find_work_by_jid("none")]
      }
      STORE.resign(LEASE)
      told { [Sidekiq::ProcessSet.new.size, Sidekiq::WorkSet.new.to_a, process.stop!] }
    RUBY
    assert_equal [1, 4, 2048, "", nil], processes
    assert_equal ["host:7:abc", "shop", ["blue"], "host", 7, 1, %w[mail low],
      {"mail" => 2, "low" => 1}, false, false, "1"], one
    assert_equal [true, true, true, %w[quiet stop dump], true],
      orders.map { |order|
        order.is_a?(Array) ? order.sort_by { |word| %w[quiet stop dump].index(word) } : order
      }
    assert_equal [1, [%w[host:7:abc t1 host:7:abc t1]]], works
    assert_equal ["mail", 1_700_000_000, "MailJob", ["runs"], true, nil], work
    assert_equal [0, [], false], gone
  end

  # Pages have 500 jobs.
  def test_each_of_many_while_jobs_leave
    assert_equal [[0, 0], [0, 600], [603, 603, 301]], told(<<~RUBY)
      def item(index, **more) = {"class" => "MailJob", "args" => [index], "queue" => "many",
        **more.transform_keys(&:to_s)}
      Raffia::Jobs.enqueue(Array.new(600) { |index| item(index) })
      Raffia::Jobs.enqueue(Array.new(600) { |index| item(index, at: Time.now.to_f + 1000 + index) })
      many = Sidekiq::Queue.new("many")
      many.each(&:delete)
      told { [many.size, many.count] }
      SCHEDULED.each { |job| job.kill unless job.args.first == "later" }
      told { [SCHEDULED.size - 3, DEAD.size - 3] }
      seen = []
      DEAD.each_with_index { |job, index| seen << job.jid && (job.retry if index.odd?) }
      told { [seen.size, seen.uniq.size, Sidekiq::Queue.new("failing").size + many.size] }
    RUBY
  end

  class MemoryTest < Raffia::TestCase
    include CompatSidekiqAPI

    def store_url = "memory:"
  end

  class SQLiteTest < Raffia::TestCase
    include CompatSidekiqAPI

    def setup
      super
      if Gem::Specification.find_all_by_name("sqlite3").empty?
        skip "the gem sqlite3 is not installed"
      end
      @dir = Dir.mktmpdir
    end

    def teardown
      FileUtils.rm_rf(@dir) if @dir
      super
    end

    def store_url = "sqlite:#{@dir}/jobs.db?synchronous=off"
  end

  class RedisTest < Raffia::TestCase
    include JobsRedisCase
    include CompatSidekiqAPI

    def store_url = url

    # The program's own data, in the Redis of its jobs.
    def test_connections
      answers = told(<<~RUBY)
        told {
          [Sidekiq.redis(&:ping), Sidekiq.redis { |redis| redis.call("PING") },
            Sidekiq.default_configuration.redis_info["redis_version"].to_i >= 6]
        }
        told {
          Sidekiq.redis { |redis|
            [redis.set("mine", 1, ex: 60), redis.set("mine", 2, nx: true), redis.get("mine"),
              redis.incrby("mine", 5), redis.ttl("mine") > 0, redis.sadd("some", %w[a b]),
              redis.sscan("some").to_a.sort]
          }
        }
        told {
          Sidekiq.redis { |redis|
            [redis.multi { |both| both.set("mine", 7); both.get("mine") },
              redis.pipelined { |both| both.call("GET", "mine"); both.hset("all", "a", 1) },
              redis.hgetall("all")]
          }
        }
        told {
          Sidekiq.redis { |one|
            Sidekiq.redis_pool.with { |other|
              [one.call("CLIENT", "ID") == other.call("CLIENT", "ID"),
                (one.nonsense rescue $!.class.name)]
            }
          }
        }
        told {
          ids = Array.new(3) { Sidekiq.redis { |redis| redis.call("CLIENT", "ID") } }
          [ids.uniq.size, Process.wait2(fork { exit!(Sidekiq.redis(&:ping) == "PONG" &&
            !ids.include?(Sidekiq.redis { |redis| redis.call("CLIENT",
            "ID") })) }).last.success?, Sidekiq.redis(&:ping)]
        }
        told {
          Sidekiq.redis { |redis|
            [redis.evalsha(redis.script("load", "return {KEYS[1], ARGV[1], ARGV[2]}"), %w[key],
              %w[one two]), redis.info["redis_mode"], redis.pipelined(&:info).first["redis_mode"]]
          }
        }
        require "sidekiq/testing"
        told {
          [Sidekiq.redis(&:ping),
            Sidekiq::Testing.disable! { Sidekiq::Testing.inline! { Sidekiq.redis(&:ping) } }]
        }
        Sidekiq::Testing.disable!
        Raffia::Jobs.store = "memory:"
        told { Sidekiq.redis(&:ping) rescue $!.message[/jobs are kept in memory:/] }
      RUBY
      assert_equal ["PONG", "PONG", true], answers.shift
      assert_equal ["OK", nil, "1", 6, true, 2, %w[a b]], answers.shift
      assert_equal [["OK", "7"], ["7", 1], {"a" => "1"}], answers.shift
      assert_equal [false, "RedisClient::CommandError"], answers.shift
      assert_equal [[1, true, "PONG"], [%w[key one two], "standalone", "standalone"], %w[PONG PONG],
        "jobs are kept in memory:"], answers
    end
  end

  class MySQLTest < Raffia::TestCase
    include TestSupport::JobsMySQL
    include CompatSidekiqAPI

    def store_url = address
  end

  class PostgresTest < Raffia::TestCase
    include TestSupport::JobsPostgres
    include CompatSidekiqAPI

    def store_url = address
  end
end
