# frozen_string_literal: true

require "test_helper"
require "support/servers"
require "raffia/jobs"

# What only Redis has to answer for: that others write to it too, that it can be away, and that it tells us of changes.
class JobsRedisTest < Raffia::TestCase
  def setup
    @server = TestSupport::Redis.running
    @store = Raffia::Jobs::Store.open("redis://127.0.0.1:#{@server.port}/1", compat: 8)
    @redis = RedisClient.config(host: "127.0.0.1", port: @server.port, db: 1, timeout: 30).new_client
    @redis.call("FLUSHALL")
  rescue TestSupport::Server::Missing, Raffia::MissingDependency => error
    skip error.message
  end

  def teardown
    @redis&.close
    @store&.close
  end

  def draft(**fields)
    Raffia::Jobs::Draft.of(Raffia::Jobs::Client::Item.build({"class" => "Nothing", "args" => [{}, []], **fields.transform_keys(&:to_s)}))
  end

  def lease(ttl: 60) = @store.enroll("host:1:#{SecureRandom.hex(6)}", {"queues" => ["default"], "concurrency" => 5}, ttl: ttl)

  # The bytes are those that came in, or nobody could remove them by value.
  def test_a_job_is_a_string_in_a_list_as_sidekiq_has_it
    job = draft
    @store.enqueue([job])
    assert_equal [job.payload], @redis.call("LRANGE", "queue:default", 0, -1)
    assert_equal ["default"], @redis.call("SMEMBERS", "queues")
  end

  def test_a_claim_is_kept_by_redis_until_it_is_acked
    @store.enqueue([draft, draft])
    owner = lease
    first, second = @store.claim(owner, ["default"], 5)
    claims = "raffia:claims:#{owner.token}"
    assert_equal [first, second].to_h { |claim| [claim.ref, claim.payload] }, @redis.call("HGETALL", claims)
    assert_equal [true], @store.ack([first])
    assert_equal [false, true], @store.ack([first, second])
    assert_equal 0, @redis.call("EXISTS", claims)
  end

  def test_who_waits_hears_of_jobs_that_others_push
    waiting = Thread.new { @store.wait(["default", "mail"]) }
    wait_until { @redis.call("INFO", "clients")[/^tracking_clients:(\d+)/, 1] == "1" }
    @redis.call("LPUSH", "queue:mail", draft(queue: "mail").payload)
    assert waiting.join(PATIENCE), "the wait did not end"
  end

  def test_who_waits_hears_of_what_others_schedule
    waiting = Thread.new { @store.wait(["default"]) }
    wait_until { @redis.call("INFO", "clients")[/^tracking_clients:(\d+)/, 1] == "1" }
    @redis.call("ZADD", "schedule", Time.now.to_f, draft.payload)
    assert waiting.join(PATIENCE), "the wait did not end"
    @store.promote
    assert_equal 1, @redis.call("LLEN", "queue:default")
  end
end
