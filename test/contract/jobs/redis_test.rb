# frozen_string_literal: true

require_relative "redis_case"
require_relative "store_contract"

# The contract of all stores, and what is Redis's own: other programs write to it, and it reports
# changes.
class JobsRedisTest < Raffia::TestCase
  include JobsRedisCase
  include JobsStoreContract
  include JobsStoreContract::Flows
  include JobsStoreContract::FlowWaits
  include JobsStoreContract::FlowEnds
  include JobsStoreContract::Workflows
  include JobsStoreContract::WorkflowChanges
  include JobsStoreContract::WorkflowEnds
  include JobsStoreContract::Shared

  # Other programs remove jobs by value, so the bytes must stay the same.
  def test_a_job_is_a_string_in_a_list_as_sidekiq_has_it
    job = draft({}, [])
    store.enqueue([job])
    assert_equal([job.payload], redis.call("LRANGE", "queue:default", 0, -1))
    assert_equal(["default"], redis.call("SMEMBERS", "queues"))
  end

  # Redis searches slices, and sends none of them.
  def test_the_server_searches_for_a_job
    enqueue(*0...5000)
    bytes = -> { redis.call("INFO", "stats")[/total_net_output_bytes:(\d+)/, 1].to_i }
    scripts = -> { redis.call("INFO", "commandstats")[/cmdstat_evalsha:calls=(\d+)/, 1].to_i }
    store.find("f" * 24)
    before = [scripts.call, bytes.call]
    assert_nil(store.find("f" * 24))
    assert_equal(3, scripts.call - before.first)
    assert_operator(bytes.call - before.last, :<, 40_000)
    before = scripts.call
    assert_nil(store.find("f" * 24, most: 100))
    assert_equal(1, scripts.call - before)
  end

  def test_a_claim_is_kept_by_redis_until_it_is_acked
    enqueue(1, 2)
    first, second = claim
    claims = "raffia:claims:#{lease.token}"
    assert_equal([first, second].map(&:payload).sort, redis.call("HVALS", claims).sort)
    assert_equal([true], store.ack([first]))
    assert_equal([false, true], store.ack([first, second]))
    assert_equal(0, redis.call("EXISTS", claims))
  end

  def test_a_push_of_another_client_wakes_a_wait
    waiting = Thread.new { wait_for_job(%w[default mail]) }
    watched
    redis.call("LPUSH", "queue:mail", draft(1, queue: "mail").payload)
    assert_equal([1], args(waiting.value))
  end

  def test_an_earlier_schedule_of_another_client_ends_a_wait
    enqueue("late", at: now + 900)
    waiting = Thread.new { store.wait(%w[default]) }
    watched
    redis.call("ZADD", "schedule", now + 0.2, draft("early").payload)
    assert(waiting.join(LONG), "the wait did not end")
    wait_until { store.promote && places[:queue] == 1 }
    assert_equal(["early"], args(claim))
  end

  # One connection gets notifications, and polls after each.
  def test_a_wait_does_not_poll
    asked = scripts_done
    waiting = Thread.new { store.wait(%w[default]) }
    watched
    wait_until { scripts_done > asked } # it asks all in one script
    before = commands
    5.times { redis.call("LPUSH", "queue:other", "x") }
    redis.call("PING")
    assert_operator(commands - before, :<=, 5 + 1 + 1,
      "commands while somebody waits for another queue")
    store.interrupt
    waiting.join
  end

  def test_many_waiting_workers_do_each_job_once
    waiting = Array.new(20) do |n|
      Thread.new { wait_for_job(by: store.enroll("test:#{n}:w", {}, ttl: 600)) }
    end
    watched(20)
    20.times { |n| redis.call("LPUSH", "queue:default", draft(n).payload) }
    assert_equal([*0...20], waiting.flat_map { |thread| args(thread.value) }.sort)
  end

  # Sidekiq's worker takes a job by BRPOP, and the other worker continues to wait.
  def test_a_worker_of_sidekiq_may_be_faster
    waiting = Thread.new { store.wait(%w[default]) }
    rival = Thread.new do
      RedisClient.config(url: url, timeout: LONG).new_client
        .then { |one| one.blocking_call(LONG, "BRPOP", "queue:default", 0).tap { one.close } }
    end
    watched
    wait_until { redis.call("INFO", "clients")[/^blocked_clients:(\d+)/, 1] == "1" }
    enqueue(1)
    assert_equal("queue:default", rival.value.first)
    store.interrupt
    waiting.join
    assert_places
  end

  # No operation needs a second connection while it has one.
  def test_one_connection_is_enough
    narrow = Raffia::Jobs::Store.open("#{url}?pool=1")
    mine = narrow.enroll("test:1:n", {}, ttl: 600)
    narrow.enqueue([draft(1), draft(2, at: now + 900),
      draft(3, own: {unique: {key: "k", until: "done"}, limit: {key: "k", max: 1}})])
    counts = {"processed" => 1, "failed" => 0, "ms" => 1, "histogram" => [1] + [0] * 25}
    narrow.beat(mine, {}, tally: Raffia::Jobs::Tally.new(processed: 1, failed: 0,
      classes: {"X" => counts}))
    assert_equal([[], 1, %w[X]], [narrow.check, narrow.processes.size, narrow.metrics.keys])
    narrow.wait(%w[default], timeout: LONG)
    assert_equal(2, narrow.release(narrow.claim(mine, %w[default], 5)))
    assert_equal(2, narrow.clear(:queue) + narrow.entries(:queue, match: "x").size)
    narrow.prune
    narrow.resign(mine)
  ensure
    narrow&.close
  end

  def test_without_tracking_a_wait_polls
    redis.call("ACL", "SETUSER", "plain", "on", "nopass", "~*", "&*", "+@all", "-client|tracking")
    limited = Raffia::Jobs::Store.open(url.sub("//", "//plain:any@"))
    waiting = Thread.new { limited.wait(%w[default]) }
    wait_until { redis.call("CLIENT", "LIST").include?("user=plain") }
    enqueue(1)
    assert(waiting.join(LONG), "the wait did not end")
  ensure
    limited&.close
    redis.call("ACL", "DELUSER", "plain")
  end

  def test_sidekiqs_api_reads_pauses
    store.pause("default")
    assert_equal(["default"], redis.call("SMEMBERS", "paused"))
    store.resume("default")
    assert_equal(0, redis.call("EXISTS", "paused"))
  end

  def test_scripts_are_sent_again_when_the_server_has_forgotten_them
    enqueue(1)
    claim.each { |one| store.release([one]) }
    redis.call("SCRIPT", "FLUSH")
    assert_equal([true], store.ack(claim))
  end

  # cjson would make {} of [], and round large numbers.
  def test_scripts_never_rewrite_a_payload
    args = [[], {}, 12_345_678_901_234_567_890, 1e-7, "\u{1F40E}</script>"]
    store.open_batch("b", callbacks: {"success" => draft(*args, queue: "callbacks")})
    one = draft(*args, own: {priority: 2, limit: {key: "k", max: 1}, batch: "b",
                             unique: {key: "u", until: "done"}})
    store.enqueue([one])
    store.release(claim)
    lose
    store.seal_batch("b")
    store.ack([claim_one(suspects: true).tap { |done| assert_equal(args, done.item["args"]) }])
    assert_equal(args, claim_one(queues: %w[callbacks]).item["args"])
  end

  def test_a_unique_job_that_is_blocked_can_be_replaced
    own = {limit: {key: "l", max: 1}, unique: {key: "k", until: "done", conflict: "replace"}}
    enqueue(0, own: {limit: {key: "l", max: 1}})
    claim_one
    enqueue(1, own: own)
    assert_empty(claim)
    assert_places(running: 1, blocked: 1)
    enqueue(2, own: own)
    assert_equal([2], args_in(:queue))
    assert_places(running: 1, queue: 1)
    store.enqueue([draft(3, own: {**own, priority: 5})])
    store.enqueue([draft(4, own: {**own, priority: 5})])
    assert_equal([4], args_in(:queue))
    assert_equal([], store.check)
  end

  # Their time finds ended batches, and names of values that Redis has expired.
  def test_expired_values_and_ended_batches_leave_no_keys
    store.write("a", "1", ttl: 0.05)
    store.open_batch("b", callbacks: {"success" => draft(1)})
    store.seal_batch("b")
    store.clear(:queue)
    wait_until { store.read("a").nil? }
    wait_until { store.prune(batches_for: 0.01) || redis.call("KEYS", "*").empty? }
  end

  # A worker of Sidekiq knows no keys of unique jobs.
  def test_a_key_whose_job_is_not_there_is_reported
    unique = {key: "k", until: "done"}
    enqueue(1, own: {unique: unique})
    enqueue(2, own: {unique: {key: "w", until: "window", for: 900}})
    assert_equal([], store.check)
    redis.call("DEL", "queue:default")
    assert_match(/\Athe key k is taken by job \h{24}, which does not exist/,
      store.check.join("\n"))
  end

  def test_jobs_with_a_priority_are_beside_sidekiqs_list
    store.enqueue([draft(1, own: {priority: 3}), draft(2)])
    assert_equal([1, 1], [redis.call("ZCARD", "raffia:queue:default"),
      redis.call("LLEN", "queue:default")])
    assert_equal(2, store.queues.first["size"])
  end

  # Another worker recovers expired leases during the report, and does not know which jobs had
  # begun.
  def test_a_death_that_is_reported_is_not_recovered_meanwhile
    enqueue(*0...3)
    claims = claim(3)
    others = []
    during_move { others.concat(other_store.recover) }
    recovered = store.report_death(lease, [claims[0].key])
    assert_equal([[1, 0, 0], []], [recovered.map(&:crashes), others])
    assert_equal([1, nil, nil], store.entries(:queue)
      .map { |entry| entry.item.dig("raffia", "crashes") })
    assert_empty(other_store.recover)
    assert_equal(0, redis.call("EXISTS", "raffia:lost"))
  end

  def test_a_death_whose_report_fails_is_recovered_later
    enqueue(1)
    worker = store.enroll("test:broken", {}, ttl: 0.3)
    claim(1, by: worker)
    during_move { raise Raffia::Jobs::StoreUnavailable, "it went away" }
    assert_raises(Raffia::Jobs::StoreUnavailable) { store.report_death(worker, nil) }
    assert_places(running: 1)
    wait_until { other_store.recover.any? }
    assert_places(queue: 1)
  end

  private

  def other_store = @other_store ||= opened

  # Calls the block once, between the end of a lease and the return of its jobs.
  def during_move(&block)
    store.instance_variable_get(:@redis).define_singleton_method(:move) do |*rows|
      singleton_class.remove_method(:move)
      block.call
      move(*rows)
    end
  end

  # @return [Integer] how many the server has carried out
  # Number of scripts that were called and ended well.
  def scripts_done
    redis.call("INFO", "commandstats")
      .scan(/^cmdstat_eval(?:sha)?:calls=(\d+).*failed_calls=(\d+)/)
      .sum { |calls, failed| calls.to_i - failed.to_i }
  end

  def commands = redis.call("INFO", "stats")[/^total_commands_processed:(\d+)/, 1].to_i
end
