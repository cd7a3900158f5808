# frozen_string_literal: true

require_relative "sidekiq_case"

# Sidekiq's API and Web show our workers and jobs, and their commands are followed.
class JobsSidekiqAPITest < Raffia::TestCase
  include JobsSidekiqCase

  # One job in each place, and a worker that is busy with another one.
  def fill
    @running = WaitingJob.set(queue: "busy").perform_async
    FailingJob.set(queue: "busy").perform_async(1)
    HopelessJob.set(queue: "busy").perform_async(2)
    working(queues: %w[busy,3 other,1], concurrency: 7, labels: ["blue"], tag: "shop",
      beat: 0.1) do |worker|
      # With a heartbeat.
      wait_until(LONG) do
        payloads("retry").size == 1 && payloads("dead").size == 1 &&
          @redis.call("GET", "stat:processed") == "2"
      end
      @store.enqueue([draft("EchoJob", "old", enqueued_at: Raffia::Jobs::Payload.now - 60_000)])
      EchoJob.perform_async("young")
      EchoJob.perform_in(3600, "later")
      wait_until(LONG) { @store.processes.first["busy"] == 1 }
      yield worker
      @store.write("gate", "open")
    end
  end

  def draft(name, *args, **fields)
    item = Raffia::Jobs::Client::PayloadBuilder.build({"class" => name, "args" => args})
    Raffia::Jobs::Draft.of(item.merge(fields.transform_keys(&:to_s)))
  end

  def test_the_api_reads_our_jobs_and_workers
    fill do |worker|
      seen = @sidekiq.ask(<<~RUBY)
        stats = Sidekiq::Stats.new
        job = lambda { |one| [one.klass, one.args, one.jid, one.queue, one.error?.to_s] }
        process = Sidekiq::ProcessSet.new.first
        work = Sidekiq::WorkSet.new.first
        {
          "stats" => [stats.processed, stats.failed, stats.enqueued, stats.scheduled_size,
            stats.retry_size, stats.dead_size, stats.processes_size, stats.workers_size],
          "queues" => stats.queues, "latency" => Sidekiq::Queue.new("default").latency,
          "waiting" => Sidekiq::Queue.new("default").map { |one|
            [one.klass, one.args, one.enqueued_at.to_f]
          },
          "scheduled" => Sidekiq::ScheduledSet.new.map { |one| [one.klass, one.args, one.at.to_f] },
          "retry" => Sidekiq::RetrySet.new.map { |one|
            [one.klass, one["error_class"], one["error_message"], one["retry_count"],
             one.error_backtrace.size, one["failed_at"]]
          },
          "dead" => Sidekiq::DeadSet.new.map { |one| [one.klass, one.args, one["error_class"]] },
          "process" => [process.identity, process.tag, process.labels, process.queues,
            [process.weights].flatten, process["concurrency"], process["busy"], process.stopping?,
            process["rss"], process["hostname"], process["pid"]],
          "info" => JSON.parse(Sidekiq.redis { |one| one.hget(process.identity, "info") }),
          "threads" => Sidekiq::ProcessSet.new.total_concurrency, "version" => process.version,
          "work" => [work[0], work[2].queue, work[2].job.klass, work[2].job.jid,
            work[2].run_at.to_f]
        }
      RUBY
      assert_equal([2, 2, 2, 1, 1, 1, 1, 1], seen["stats"])
      assert_equal({"default" => 2, "busy" => 0}, seen["queues"])
      assert_in_delta(60, seen["latency"], LONG)
      assert_equal([["EchoJob", ["young"]], ["EchoJob", ["old"]]],
        seen["waiting"].map { |name, args, _| [name, args] })
      assert_now(seen["waiting"].first.last)
      assert_equal([["EchoJob", ["later"]]], seen["scheduled"].map { |name, args, _| [name, args] })
      assert_now(seen["scheduled"].first.last - 3600)
      assert_equal(["FailingJob", "ArgumentError", "on purpose", 0, 2],
        seen["retry"].first.first(5))
      assert_now(Raffia::Jobs::Payload.time(seen["retry"].first.last))
      assert_equal([["HopelessJob", [2], "ArgumentError"]], seen["dead"])
      identity, tag, labels, queues, weights, concurrency, busy, stopping, rss, host, pid =
        seen["process"]
      assert_equal([@store.processes.first["identity"], "shop", ["blue"], %w[busy other],
        [{"busy" => 3, "other" => 1}]], [identity, tag, labels, queues, weights])
      assert_equal([7, 1, false, Socket.gethostname, Process.pid],
        [concurrency.to_i, busy.to_i, stopping, host, pid])
      assert_operator(rss.to_i, :>, 1000)
      assert_equal([7, Raffia::VERSION], seen.values_at("threads", "version"))
      assert_equal({"concurrency" => 7, "mode" => "weighted",
        "weights" => {"busy" => 3, "other" => 1}}, seen["info"]["capsules"]["default"])
      assert_equal([identity, "busy", "WaitingJob", @running], seen["work"].first(4))
      assert_now(seen["work"].last)
      refute_predicate(worker, :quiet?)
    end
    assert_equal([0, 0], @sidekiq.ask("[Sidekiq::ProcessSet.new.size, Sidekiq::WorkSet.new.size]"),
      "an ended worker is not there any more")
  end

  def test_the_web_shows_them_and_its_buttons_reach_us
    fill do |worker|
      pages = @sidekiq.ask(<<~RUBY)
        %w[/ /busy /queues /queues/default /scheduled /retries /morgue /metrics /metrics/FailingJob]
          .to_h { |path| [path, web("GET", path).then { |page| [page.status, page.body] }] }
      RUBY
      assert_equal([200], pages.values.map(&:first).uniq)
      identity = @store.processes.first["identity"]
      {
        "/busy" => ["WaitingJob", identity, @running, "shop", "blue"],
        "/queues" => %w[default busy], "/queues/default" => ["EchoJob", "young"],
        "/scheduled" => ["EchoJob", "later"],
        "/retries" => ["FailingJob", "ArgumentError: on purpose"], "/morgue" => ["HopelessJob"],
        "/metrics" => %w[FailingJob HopelessJob]
      }.each { |path, texts| texts.each { |text| assert_includes(pages[path].last, text, path) } }

      press = ->(button) {
        @sidekiq.ask("web('POST', '/busy', {'identity' => '#{identity}', '#{button}' => " \
          "'1'}).status")
      }
      assert_equal(302, press.call("quiet"))
      wait_until(LONG) { worker.quiet? }
      assert_equal(302, press.call("stop"))
      wait_until(LONG) { worker.stopping? }
    end
  end

  # Buttons of the job pages: these take a payload away by its bytes.
  def test_the_web_can_operate_on_our_jobs
    lease = @store.enroll("host:1:abcdef012345", {}, ttl: 600)
    @store.enqueue([draft("FailingJob", 1), draft("HopelessJob", 2), draft("EchoJob", "old"),
      draft("EchoJob", "young")])
    failed, dead = @store.claim(lease, %w[default], 2)
    @store.retry(failed, failed.payload, Time.now.to_f + 900)
    @store.bury(dead, dead.payload)
    EchoJob.perform_in(3600, "later")
    @store.beat(lease, {"quiet" => true})
    score_and_jid = ->(set) {
      @redis.call("ZRANGE", set, 0, 0, "WITHSCORES").flatten
        .then { |payload, score| "#{score}-#{JSON.parse(payload)["jid"]}" }
    }
    oldest = @redis.call("LINDEX", "queue:default", -1)
    statuses = @sidekiq.ask(<<~RUBY)
      {"/retries/#{score_and_jid["retry"]}" => {"retry" => "1"},
       "/morgue/#{score_and_jid["dead"]}" => {"delete" => "1"},
       "/scheduled/#{score_and_jid["schedule"]}" => {"add_to_queue" => "1"},
       "/queues/default/delete" => {"key_val" => #{oldest.inspect}}
      }.map { |path, params| web("POST", path, params).status }
    RUBY
    assert_equal([302] * 4, statuses)
    assert(@sidekiq.ask("Sidekiq::ProcessSet.new.first.stopping?"),
      "a quiet worker is shown as one")
    assert_equal({queue: 3, scheduled: 0, retry: 0, dead: 0},
      @store.counts.slice(:queue, :scheduled, :retry, :dead))
    assert_equal([["later"], ["young"], [1]].sort_by(&:inspect),
      @store.entries(:queue).map { |entry| entry.item["args"] }.sort_by(&:inspect))
  end

  def test_their_metrics_are_read_by_us_and_ours_by_them
    @sidekiq.ask("EchoJob.perform_async(1); FailingJob.perform_async(1)")
    @sidekiq.working { wait_until(LONG) { done_there.any? && payloads("retry").any? } }
    EchoJob.perform_async(2)
    working { wait_until(LONG) { done_here.any? } }
    theirs = @sidekiq.ask("Sidekiq::Metrics::Query.new.top_jobs(minutes: 60).job_results.to_h { " \
      "|name, result| [name, result.totals.slice('p', 'f')] }")
    assert_equal({"EchoJob" => {"p" => 2}, "FailingJob" => {"p" => 1, "f" => 1}}, theirs)
    ours = @store.metrics.transform_values do |minutes|
      %w[processed failed].map { |count| minutes.sum { |minute| minute[count] } }
    end
    assert_equal({"EchoJob" => [2, 0], "FailingJob" => [1, 1]}, ours)
    assert_equal(2, @store.metrics["EchoJob"].sum { |minute| minute["histogram"].sum })
    assert_equal([3, 1], @store.history(2).values.map(&:values).transpose.map(&:sum))
  end

  private

  # Machines are busy.
  def assert_now(time) = assert_in_delta(Time.now.to_f, time, LONG)
end
