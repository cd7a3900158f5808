# frozen_string_literal: true

require "logger"
require_relative "redis_case"
require_relative "store/workflow_case"
require "raffia/jobs/worker"

# A Redis that is down, full, read-only, locked or replaced, and unreadable payloads.
class JobsRedisFailuresTest < Raffia::TestCase
  include JobsRedisCase
  include JobsStoreContract::WorkflowCase

  Unavailable = Raffia::Jobs::StoreUnavailable

  def server = TestSupport::GuardedRedis

  def password = URI.encode_www_form_component(TestSupport::GuardedRedis::PASSWORD)

  def url = "redis://:#{password}@127.0.0.1:#{@server.port}/1"

  def direct
    {host: "127.0.0.1", port: @server.port, password: TestSupport::GuardedRedis::PASSWORD, db: 1,
     reconnect_attempts: 3}
  end

  def test_a_missing_server_is_an_error_until_it_is_back
    store
    @server.kill
    error = assert_raises(Unavailable) { enqueue(1) }
    assert_match(/\ARedis at redis:\/\/127\.0\.0\.1:#{@server.port}\/1 cannot be reached: /,
      error.message)
    @server.start
    enqueue(2)
    assert_includes([[2], [1, 2]], args(claim), "what was being enqueued may have been kept")
  end

  # Each connection that was idle for a while would find it out by itself.
  def test_one_lost_connection_is_enough_to_drop_all
    Array.new(8) { Thread.new { 20.times { store.counts } } }.each(&:join)
    @server.kill
    @server.start
    failures = Array.new(8) {
      begin
        (enqueue(1) && nil) || nil
      rescue
        Unavailable
      end
    }
      .compact # standard:disable Style/RescueModifier
    assert_operator(failures.size, :<=, 1)
    assert_kind_of(Integer, store.counts[:queue])
  end

  def test_reads_and_heartbeats_are_retried
    lease
    @server.kill
    @server.start
    assert_equal([], store.beat(lease))
  end

  def test_claims_outlive_the_server_and_can_be_acked_when_it_is_back
    enqueue(1, 2)
    done, rest = claim
    @server.kill
    assert_raises(Unavailable) { store.ack([done]) }
    @server.start
    assert_equal([true], store.ack([done]))
    assert_places(running: 1)
    assert_equal(1, store.release([rest]))
  end

  # The lease expired while the server was down, but no other worker has taken the jobs.
  def test_a_lease_that_expired_unseen_continues
    short = store.enroll("test:1:s", {}, ttl: 0.2)
    wait_until do
      redis.call("ZSCORE", "raffia:expiry", short.token) < redis.call("TIME").first.to_f - 1
    end
    assert_equal([], store.beat(short))
    assert_equal([], store.recover)
  end

  def test_a_worker_continues_when_redis_comes_back
    enqueue(1, klass: "JobsRedisFailuresTest::Wait")
    worker = Raffia::Jobs::Worker.new(store, log: Logger.new(nil)).start
    wait_until { places[:running] == 1 }
    @server.kill
    @server.start
    redis.call("SET", "raffia:value:gate", "open")
    enqueue(2, klass: "JobsRedisFailuresTest::Wait")
    wait_until(LONG) { places.empty? }
  ensure
    worker&.stop
  end

  class Wait
    include Raffia::Job

    def perform(_)
      sleep(0.01) until begin
        run.store.read("gate")
      rescue Unavailable
        nil
      end
    end
  end

  # Redis finishes a command after the client's time-out.
  def test_the_next_claim_returns_jobs_of_a_lost_answer
    impatient = open_store(timeout: 0.5)
    wait_until { impatient.counts rescue nil } # standard:disable Style/RescueModifier
    lease
    enqueue(1, 2)
    redis.call("CLIENT", "PAUSE", 60_000, "WRITE")
    assert_raises(Unavailable) { claim_by(impatient) }
    redis.call("CLIENT", "UNPAUSE")
    claims = []
    wait_until do
      claims = claim_by(impatient)
    rescue Unavailable
      nil
    else
      claims.any?
    end
    assert_equal([1, 2], args(claims))
    assert_equal([true, true], store.ack(claims))
    assert_places
  ensure
    impatient&.close
  end

  def test_a_wrong_password_is_reported
    wrong = Raffia::Jobs::Store.open(url.sub(password, "guess"))
    error = assert_raises(Raffia::Jobs::StoreRefused) { wrong.counts }
    assert_match(/refuses the password: WRONGPASS/, error.message)
    none = Raffia::Jobs::Store.open(url.sub(":#{password}@", ""))
    error = assert_raises(Raffia::Jobs::StoreRefused) { none.counts }
    assert_match(%r{needs a password: write it as redis://:password@host}, error.message)
    far = Raffia::Jobs::Store.open(url.sub(%r{/\d+\z}, "/9999"))
    error = assert_raises(Raffia::Jobs::StoreRefused) { far.counts }
    assert_match(/DB index is out of range/, error.message)
  end

  def test_the_password_is_shown_nowhere
    [store, open_store].each do |one|
      assert_equal("redis://127.0.0.1:#{@server.port}/1", one.url)
      refute_includes(one.inspect, password)
    end
    @server.kill
    refute_includes(assert_raises(Unavailable) { store.counts }.full_message,
      TestSupport::GuardedRedis::PASSWORD)
  end

  def test_a_full_redis_refuses_jobs
    configured("maxmemory", "1") do
      assert_match(/has reached its maxmemory/, assert_raises(Unavailable) { enqueue(1) }.message)
      assert_match(/has reached its maxmemory/,
        assert_raises(Unavailable) { store.enqueue([draft(1), draft(2, queue: "b")]) }.message)
      assert_match(/has reached its maxmemory/,
        assert_raises(Unavailable) { enqueue(1, own: {priority: 1}) }.message)
    end
    assert_places
  end

  # Only finished jobs free memory.
  def test_jobs_of_a_full_redis_can_be_finished
    enqueue(1, 2, 3)
    enqueue(4, own: {limit: {key: "k", max: 1}, priority: -1})
    enqueue(5, at: now + 0.1)
    configured("maxmemory", "1") do
      worker = store.enroll("test:1:f", {}, ttl: 600)
      done, failed, dead, limited = store.claim(worker, %w[default], 10)
      assert_equal([], store.beat(worker,
        {"work" => [{"queue" => "default", "payload" => done.payload, "tid" => "1"}]}))
      assert_equal([true, true, true], [*store.ack([done]),
        store.retry(failed, failed.payload, now + 900), store.bury(dead, dead.payload)])
      assert_equal(1, store.release([limited]))
      wait_until { store.promote && places[:queue] == 2 }
      store.resign(worker)
    end
    assert_places(queue: 2, retry: 1, dead: 1)
  end

  # The end of a step frees memory, though jobs begin by it; so does a cancel.
  def test_workflows_of_a_full_redis_can_be_finished
    open_workflow(job_step("a", **undo("x")), each_step("b", "a"), job_step("c", after: %w[b]))
    lease
    configured("maxmemory", "1") do
      assert_raises(Unavailable) { open_workflow(job_step("a"), id: "v") }
      finish_step([1, 2, 3])
      assert_equal([1, 2, 3], args(claim(2)) + args_in(:queue))
      store.cancel_workflow("w", "enough")
    end
    assert_nil(store.workflow("v"))
    assert_equal(%w[cancelled active cancelled], states.values_at("c", "b", "b[2]"))
    assert_empty(store.check)
  end

  def test_a_workflow_outlives_kills_of_the_server_at_each_of_its_steps
    after_kill { open_workflow(job_step("a", **undo("x")), each_step("b", "a")) }
    one = after_kill { claim_one }
    one.result = "[1,2]"
    after_kill { store.ack([one]) }
    two = after_kill { claim(1).first }
    after_kill { store.cancel_workflow("w", "enough") }
    after_kill { store.bury(two, two.payload) }
    assert_equal(["undoing", ["a"], []], [state, args_in(:queue), store.check])
    finish_step
    assert_equal(["undone", []], [state, store.check])
  end

  def test_an_evicting_redis_causes_a_warning
    configured("maxmemory-policy", "allkeys-lru") do
      other = open_store
      _, said = capture_io { 2.times { other.counts } }
      assert_equal(1, said.scan("set maxmemory-policy noeviction").size)
      refute_includes(said, password)
    end
    assert_empty(capture_io { open_store.counts }.last)
  end

  def test_a_replica_is_refused
    store.counts
    redis.call("REPLICAOF", "127.0.0.1", "1")
    assert_match(/READONLY/, assert_raises(Unavailable) { enqueue(1) }.message)
  ensure
    redis.call("REPLICAOF", "NO", "ONE")
  end

  def test_a_master_that_lacks_replicas_is_refused_until_it_has_them
    configured("min-replicas-to-write", "1") do
      assert_match(/NOREPLICAS/, assert_raises(Unavailable) { enqueue(1) }.message)
    end
    enqueue(1)
    assert_places(queue: 1)
  end

  def test_it_works_over_a_unix_socket
    over = Raffia::Jobs::Store.open("unix://:#{password}@#{@server.unix_socket}?db=1")
    over.enqueue([draft(1)])
    assert_equal([1], args(claim))
    assert_equal("unix://#{@server.unix_socket}", over.url)
  ensure
    over&.close
  end

  def test_it_works_over_tls
    need_localhost
    over = tls(ca_file: @server.ca)
    over.enqueue([draft(1)])
    waiting = Thread.new { over.wait(%w[other]) }
    watched
    enqueue(2, queue: "other")
    assert(waiting.join(LONG), "the wait did not end")
    assert_equal([1], args(claim))
  ensure
    over&.close
  end

  def test_an_untrusted_certificate_is_refused
    need_localhost
    assert_match(/certificate verify failed/, assert_raises(Unavailable) { tls.counts }.message)
  end

  def test_invalid_addresses_are_refused
    {"redis://127.0.0.1:port" => /is no address of a Redis/,
     "redis://h/0?colour=1" => /knows compat, pool, timeout, db/,
     "redis://h/0?compat=five" => /each with a number/,
     "redis://h/0?compat=6" => /compat must be 7 or 8/,
     "redis://h/zero" => /is no address/}.each do |address, message|
      assert_refused(message) { Raffia::Jobs::Store.open(address) }
    end
    %w[redis://:secret@h:x redis://:sec/ret@h/0 redis://u:secret@@h:x].each do |address|
      error = assert_raises(Raffia::ConfigError, address) { Raffia::Jobs::Store.open(address) }
      refute_match(/sec|ret@/, error.full_message(highlight: false).lines.first)
    end
  end

  BROKEN = ["not JSON", "[1]", "{\"class\":", "\xFF\xFE{}", "", "null"].freeze

  def test_unreadable_payloads_are_buried_with_their_bytes_and_the_reason
    BROKEN.each { |bytes| redis.call("LPUSH", "queue:default", bytes) }
    redis.call("ZADD", "schedule", 1, "due, and not JSON")
    redis.call("SADD", "queues", "default")
    refute_empty(store.check)
    worker = Raffia::Jobs::Worker.new(store, log: Logger.new(nil)).start
    wait_until(LONG) { places == {dead: BROKEN.size + 1} }
    dead = store.entries(:dead)
    assert_equal([*BROKEN, "due, and not JSON"].map(&:b).sort,
      dead.map { |entry| entry.item["raffia"]["bytes"].unpack1("m0") }.sort)
    assert_equal(["Raffia::Jobs::BadPayload"], dead.map { |entry| entry.item["error_class"] }.uniq)
    assert_equal([], store.check)
  ensure
    worker&.stop
  end

  def test_unreadable_payloads_of_a_dead_worker_are_recovered
    redis.call("LPUSH", "queue:default", "not JSON")
    _, recovered = lose
    assert_equal([[nil, "default", 1, false]],
      recovered.map { |one| [one.jid, one.queue, one.crashes, one.dead] })
    assert_equal(["not JSON"], store.entries(:queue).map(&:payload))
    assert_equal(1, store.kill(store.entries(:queue)))
    assert_nil(store.find("nobody"))
  end

  def test_a_claim_ends_before_it_is_too_large_to_be_answered
    store.enqueue(Array.new(5) { draft("x" * 3_000_000, own: {timeout: 5}) })
    55.times { enqueue("x" * 300_000, queue: "many") }
    first = claim(queues: %w[many])
    assert_equal(10, first.size)
    all = claim(100, queues: %w[default many])
    assert_equal(5, all.size, "what was taken at once, and then no more")
    assert_equal([true] * 15, store.ack(first + all))
    assert_equal(45, claim(100, queues: %w[many]).size)
  end

  # All that Sidekiq's list can have stays unchanged, even if it looks like Raffia's.
  def test_odd_fields_under_raffia_do_no_harm
    odd = [nil, 5, [], {}, {"unique" => 1, "limit" => [], "batch" => {}, "priority" => "high",
                            "expires_at" => "never"}]
    odd.each do |own|
      redis.call("LPUSH", "queue:default",
        JSON.generate("class" => "X", "args" => ["\"raffia\""], "jid" => Raffia::Jobs::Payload.id,
          "raffia" => own))
    end
    redis.call("SADD", "queues", "default")
    claims = claim
    assert_equal(odd, claims.map { |one| JSON.parse(one.payload)["raffia"] })
    # which is no object
    claims.each_with_index do |one, index|
      [1, 2].include?(index) ? assert_raises(Raffia::Jobs::BadPayload) { one.item } : one.item
    end
    assert_equal([true] * 5, store.ack(claims))
    assert_places
  end

  # Such a name took the place of other arguments of the script.
  def test_a_scheduled_job_without_a_valid_queue_goes_to_the_default_queue
    [{"x" => 1}, [2, 3], 7, nil, "", "mail"].each_with_index do |queue, number|
      redis.call("ZADD", "schedule", number + 1,
        JSON.generate("class" => "X", "args" => [number], "jid" => Raffia::Jobs::Payload.id,
          "queue" => queue))
    end
    store.promote
    assert_equal({"default" => [0, 1, 2, 3, 4], "mail" => [5]},
      store.entries(:queue).group_by(&:queue).transform_values { |list| args(list).sort })
  end

  private

  def claim_by(other) = other.claim(lease, %w[default], 10)

  # The server is killed when the block has ended.
  def after_kill
    value = yield
    @server.kill
    @server.start
    wait_until { store.counts rescue nil } # standard:disable Style/RescueModifier
    value
  end

  def configured(name, value)
    before = redis.call("CONFIG", "GET", name).values.first
    redis.call("CONFIG", "SET", name, value)
    yield
  ensure
    redis.call("CONFIG", "SET", name, before)
  end

  def tls(**params)
    Raffia::Jobs::Store.open("rediss://:#{password}@localhost:#{@server.tls_port}/1",
      ssl_params: params)
  end
end

# An address whose server changes from one moment to the next, as in a failover.
class JobsRedisFailoverTest < Raffia::TestCase
  include JobsRedisCase
  include JobsStoreContract::Case

  def setup
    @standby = TestSupport::StandbyRedis.running
    @address = TCPServer.new("127.0.0.1", 0)
    @sockets = Queue.new
    @doorman = Thread.new { loop { lead(@address.accept) } }
    super
    @other = RedisClient.config(host: "127.0.0.1", port: @standby.port, db: 1, timeout: 30)
      .new_client
    @other.call("FLUSHALL")
  rescue TestSupport::Server::Missing => error
    skip error.message
  end

  def teardown
    @redis&.call("REPLICAOF", "NO", "ONE")
    super
    @doorman&.kill
    @address&.close
    @sockets&.pop&.close until @sockets.nil? || @sockets.empty?
    @other&.close
  end

  def url = @address ? "redis://127.0.0.1:#{@address.addr[1]}/1" : super

  def direct = {host: "127.0.0.1", port: @server.port, db: 1}

  def test_after_a_failover_the_new_master_gets_the_jobs
    enqueue(1)
    fail_over { redis.call("REPLICAOF", "127.0.0.1", "1") }
    assert_kind_of(String, enqueue(2).first)
    assert_equal(1, @other.call("LLEN", "queue:default"))
  end

  def test_a_new_master_with_enough_replicas_gets_the_jobs
    enqueue(1)
    fail_over { redis.call("CONFIG", "SET", "min-replicas-to-write", "1") }
    assert_kind_of(String, enqueue(2, own: {priority: 1}).first)
    assert_equal(1, @other.call("ZCARD", "raffia:queue:default"))
  ensure
    redis.call("CONFIG", "SET", "min-replicas-to-write", "0")
  end

  private

  def fail_over
    yield
    @failed_over = true
  end

  # Copies bytes between the two.
  def lead(client)
    server = TCPSocket.new("127.0.0.1", @failed_over ? @standby.port : @server.port)
    [[client, server], [server, client]].each do |from, to|
      @sockets << from
      Thread.new { IO.copy_stream(from, to) rescue IOError } # standard:disable Style/RescueModifier
    end
  end
end

# A cluster has the keys of a job on several servers.
class JobsRedisClusterTest < Raffia::TestCase
  include JobsRedisCase

  def server = TestSupport::ClusterRedis

  def url = "redis://127.0.0.1:#{@server.port}"

  def test_a_cluster_is_refused
    assert_refused(/is a Redis Cluster/) { open_store.counts }
  end
end
