# frozen_string_literal: true

require "test_helper"
require "support/jobs_postgres"

# Matters of PostgreSQL alone: rows that others hold, notifications, and killed connections.
class JobsPostgresIntegrationTest < Raffia::TestCase
  include TestSupport::JobsPostgres

  def setup
    super
    @store = open_store
  end

  def teardown
    @stores&.each(&:close)
    super
  end

  def open_store(...)
    Raffia::Jobs::Store.open(address(...)).tap { |store| (@stores ||= []) << store }
  end

  def draft(*args, queue: "default", **fields)
    Raffia::Jobs::Draft.of(Raffia::Jobs::Client::PayloadBuilder.build({"class" => "Nothing",
      "args" => args,
      "queue" => queue, **fields.transform_keys(&:to_s)}))
  end

  def lease(store = @store, ttl: 600)
    store.enroll("test:#{::Process.pid}:#{SecureRandom.hex(6)}", {}, ttl: ttl)
  end

  def lock_limit(connection, key, how)
    seed = Raffia::Jobs::Stores::Postgres::Dialect.new(@schema).seed
    name = {"lock" => "pg_advisory_xact_lock", "try_lock" => "pg_try_advisory_xact_lock"}.fetch(how)
    connection.exec_params("SELECT #{name}(hashtextextended($1, $2))", ["limit:#{key}", seed])
      .getvalue(0, 0)
  end

  def waits_for_a_lock?(connection, kind)
    connection.exec("SELECT EXISTS (SELECT FROM pg_locks JOIN pg_stat_activity USING (pid) " \
      "WHERE locktype = '#{kind}' AND NOT granted AND datname = current_database())")
      .getvalue(0, 0) == "t"
  end

  def limited_draft(key, **own)
    draft(key, raffia: {"limit" => {"key" => key, "max" => 1}, **own.transform_keys(&:to_s)})
  end

  def open_limited_workflow(**how)
    @store.open_workflow("w", [{"name" => "s", "kind" => "job", "after" => [],
                                "item" => JSON.parse(limited_draft("a").payload), **how}])
  end

  # Calls the block while another connection has a lock, and checks that it has no later one.
  def assert_lock_order(call, lock, kind, later, message)
    first, second, watcher = Array.new(3) { connection }
    first.exec("BEGIN")
    lock.call(first)
    thread = Thread.new(&call)
    sleep(0.01) until waits_for_a_lock?(watcher, kind)
    second.exec("BEGIN")
    assert_equal "t", lock_limit(second, later, "try_lock"), message
  ensure
    [first, second].each { |one| one&.exec("ROLLBACK") }
    thread&.join
  end

  def assert_locks_a_before_b(name, &call)
    lock = ->(connection) { lock_limit(connection, "a", "lock") }
    assert_lock_order(call, lock, "advisory", "b", "the #{name} has locked b before a")
  end

  def assert_locks_workflow_before_limit(name, &call)
    lock = ->(connection) {
      connection.exec("SELECT 1 FROM #{@schema}.workflows WHERE id = 'w' FOR UPDATE")
    }
    assert_lock_order(call, lock, "transactionid", "a", "the #{name} has locked the limit before")
  end

  def args(claims) = claims.map { |claim| claim.item["args"].first }

  def test_rows_that_another_worker_is_taking_are_passed_over
    @store.enqueue([draft(1), draft(2), draft(3)])
    other = connection
    other.exec("BEGIN; SELECT 1 FROM #{@schema}.jobs ORDER BY place LIMIT 2 FOR UPDATE")
    assert_equal [3], args(@store.claim(lease, ["default"], 9))
    other.exec("ROLLBACK")
    assert_equal [1, 2], args(@store.claim(lease, ["default"], 9))
  end

  # An ack that locked its keys in another order than other acks and claims would often end in a
  # deadlock, which PostgreSQL finds after a second.
  def test_an_ack_locks_limits_in_their_order
    @store.enqueue(%w[b a].map { |key| limited_draft(key) })
    claims = @store.claim(lease, ["default"], 2)
    assert_equal %w[b a], args(claims)
    assert_locks_a_before_b("ack") { @store.ack(claims) }
  end

  # Acks of its steps lock the workflow before the limit.
  def test_a_retry_locks_its_workflow_before_its_limit
    open_limited_workflow
    claim, = @store.claim(lease, ["default"], 1)
    assert_locks_workflow_before_limit("retry") { @store.retry(claim, claim.payload, 0) }
  end

  def test_a_claim_of_an_expired_step_locks_its_workflow_before_its_limit
    open_limited_workflow("expires_in" => -1)
    @store.enqueue([limited_draft("a")])
    assert_locks_workflow_before_limit("claim") { @store.claim(lease, ["default"], 2) }
  end

  def test_a_claim_locks_limits_of_paused_and_other_jobs_in_their_order
    @store.enqueue([limited_draft("b", fair: {"key" => "k"}), limited_draft("a")])
    @store.pause("default", tenant: "k")
    assert_locks_a_before_b("claim") { @store.claim(lease, ["default"], 2) }
  end

  def test_queues_come_in_their_order_and_no_more_is_taken_than_is_wanted
    %w[low high low high].each_with_index do |queue, number|
      @store.enqueue([draft(number, queue: queue)])
    end
    assert_equal [1, 3, 0], args(@store.claim(lease, %w[none high low], 3))
    assert_equal 1, @store.counts[:queue]
  end

  # Also after a burst, when no index can be read alone. The dashboard asks for these with each
  # page.
  def test_counts_end_early
    @store.enqueue(Array.new(3000) { |number| draft(number, queue: %w[a b c][number % 3]) })
    inspection = Raffia::Jobs::Stores::SQL::Inspection
    ["SELECT #{inspection::COUNTS.values.join(", ")}", inspection::SIZES].each do |sql|
      text = Raffia::Jobs::Stores::Postgres::Dialect.new(@schema).text(sql)
      plan = connection.exec_params("EXPLAIN (ANALYZE, TIMING OFF) #{text}", [100]).values.flatten
      reads = plan.grep(/ on jobs/).map { |line| line[/actual rows=(\d+)/, 1].to_i }
      assert_operator reads.size, :>, 2, plan.join("\n")
      assert_operator reads.max, :<=, 100, plan.join("\n")
    end
    assert_equal [100, 3000], [@store.counts(most: 100)[:queue], @store.counts[:queue]]
    assert_equal [100, 1000], [@store.queues(most: 100),
      @store.queues].map { |queues| queues.first["size"] }
  end

  # Claims and turns of a fair queue read an index in its order, also right after a burst, when the
  # planner takes the queue for empty.
  def test_fair_queues_read_indexes_in_their_order
    @store.enqueue(Array.new(3000) { |number| fair_draft(number) })
    claims = Raffia::Jobs::Stores::Postgres::Claims
    turns = Raffia::Jobs::Stores::SQL::FairTurns
    {claims::TAKE => ["turns", [1, "{default}", 50]], turns::BASE => ["turns", ["default", 0]],
     turns::LAST => ["fair", ["default", "k1", 0]]}.each do |statement, (index, params)|
      plan = plan_by_index(statement, params)
      assert_match(/Index (Only )?Scan.* using #{index} on jobs/, plan)
      refute_match(/Seq Scan on jobs|Sort Key/, plan)
    end
  end

  # And nothing is in it but the queue's name.
  def test_there_is_one_piece_of_news_for_a_queue_and_transaction
    ear = connection
    channels = %w[a b].map { |queue| "raffia/#{@schema}/#{queue}" }
    @store.counts
    channels.each { |channel| ear.exec("LISTEN #{ear.quote_ident(channel)}") }
    @store.enqueue(Array.new(100) { |number| draft(number, queue: %w[a b][number % 2]) })
    heard = Array.new(2) do
      ear.wait_for_notify(PATIENCE) { |channel, _, extra| break [channel, extra] }
    end
    assert_equal channels.map { |channel| [channel, nil] }, heard.sort
    @store.enqueue([draft(1, queue: "a")])
    assert_equal channels.first, ear.wait_for_notify(PATIENCE)
    assert_nil ear.wait_for_notify(0)
  end

  def test_queues_with_long_names_have_news_of_their_own
    names = ["q" * 100, "#{"q" * 100}w"]
    names.each do |name|
      waiting = Thread.new { @store.wait([name], timeout: 1000) }
      wait_until do
        sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' || $1 || '/qqq%'",
          @schema)[0][0].to_i > 0 || !waiting.alive?
      end
      @store.enqueue([draft(1, queue: name)])
      assert waiting.join(PATIENCE)
    end
    assert_equal names, @store.queues.map { |queue| queue["name"] }
  end

  def test_without_listening_it_looks
    deaf = open_store(["listen=off", "look=0.05"].join("&"))
    token = lease
    claims = Thread.new do
      deaf.wait(["default"]) until (found = deaf.claim(token, ["default"], 1)).any?
      found
    end
    @store.enqueue([draft(1)])
    assert_equal [1], args(claims.value)
    assert_equal "0",
      sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' || $1 || '%' AND pid " \
        "<> pg_backend_pid()", @schema)[0][0]
  end

  def test_two_hundred_fibers_get_along_with_three_connections
    few = open_store("pool=3&application_name=#{@schema}")
    Raffia.run do |scope|
      Array.new(200) { |number| scope.spawn { few.enqueue([draft(number)]) } }.each(&:join)
    end
    assert_equal [*0...200], args(few.claim(lease(few), ["default"], 300)).sort
    assert_operator sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = $1",
      @schema)[0][0].to_i, :<=, 3
  end

  def test_the_queue_of_a_callback_is_known
    @store.open_batch("b", callbacks: {"success" => draft(1, queue: "reports")})
    @store.seal_batch("b")
    assert_equal ["reports"], sql("SELECT name FROM queues").flatten
    assert_equal [1], args(@store.claim(lease, ["reports"], 1))
  end

  def test_many_processes_that_start_at_once_make_the_tables_once
    need_fork
    pids = Array.new(4) do |number|
      fork do
        Raffia::Jobs::Store.open(address).enqueue([draft(number)])
        exit!(true)
      ensure
        exit!(false)
      end
    end
    assert_equal [true], pids.map { |pid| ::Process.wait2(pid).last.success? }.uniq
    assert_equal 4, @store.counts[:queue]
  end

  # Workers that enqueue, claim and ack are killed at any point; what they had acknowledged is done
  # all the same.
  def test_nothing_is_lost_when_workers_are_killed
    need_fork
    @store.counts
    dir = Dir.mktmpdir("raffia-ledger")
    files = %w[enqueued begun acked].map { |name| File.join(dir, name) }
    6.times do |round|
      pid = fork { work(files) }
      wait_until { File.exist?(files.last) && File.readlines(files.last).size > round * 20 }
      ::Process.kill(:KILL, pid)
      ::Process.wait(pid)
    end
    rest = finish
    known, begun, done = files.map { |file| File.readlines(file, chomp: true) }
    assert_empty known - begun - rest, "these were enqueued, and are gone"
    assert_empty done & rest, "these were acked, and were there again"
    assert_empty @store.check
  ensure
    FileUtils.rm_rf(dir) if dir
  end

  # Acknowledged jobs survive it, and nothing hangs.
  def test_nothing_is_lost_when_the_server_is_restarted_under_load
    enqueued = ::Thread::Queue.new
    acked = ::Thread::Queue.new
    stop = false
    clients = Array.new(2) { |client| Thread.new { load(client, enqueued, acked) { stop } } }
    3.times do |round|
      wait_until { acked.size > (round + 1) * 30 }
      @server.kill
      @server.start
    end
    wait_until { acked.size > 150 }
    stop = true
    clients.each(&:join)
    rest = finish
    known, done = [enqueued, acked].map { |queue| Array.new(queue.size) { queue.pop } }
    assert_empty known - done - rest, "these were enqueued, and are gone"
    assert_equal done.uniq.size, done.size,
      "these were acked twice: #{done.tally.select { |_, count| count > 1 }}"
    assert_empty done & rest, "these were acked, and were there again"
    assert_empty @store.check
  end

  private

  def fair_draft(number)
    draft(number, own: {fair: {key: "k#{number % 100}"}})
  end

  def plan_by_index(statement, params)
    text = Raffia::Jobs::Stores::Postgres::Dialect.new(@schema).text(statement)
    planner = connection
    planner.exec(Raffia::Jobs::Stores::Postgres::Driver::BEGINNINGS.fetch(:by_index))
    planner.exec_params("EXPLAIN #{text}", params).values.join("\n")
  ensure
    planner&.exec("ROLLBACK")
  end

  # In a child.
  def work(files)
    store = Raffia::Jobs::Store.open(address)
    token = lease(store, ttl: 0.5)
    enqueued, begun, acked = files.map { |file| File.open(file, "a").tap { |io| io.sync = true } }
    loop do
      enqueued.puts(store.enqueue(Array.new(3) { draft }))
      token = lease(store, ttl: 0.5) unless store.beat(token)
      claims = store.claim(token, ["default"], 3)
      begun.puts(claims.map { |claim| claim.item["jid"] })
      acked.puts(store.ack(claims).zip(claims)
        .filter_map { |ours, claim| claim.item["jid"] if ours })
      store.recover
    end
  ensure
    exit!(false)
  end

  def load(client, enqueued, acked)
    token = lease
    until yield
      begin
        @store.enqueue([draft(client)]).each { |jid| enqueued.push(jid) }
        claims = @store.claim(token, ["default"], 2)
        @store.ack(claims).zip(claims) { |ours, claim| acked.push(claim.item["jid"]) if ours }
      rescue Raffia::Jobs::StoreUnavailable
        sleep(0.01)
      end
    end
    @store.resign(token)
  end

  # @return [Array<String>] ids of the jobs that are still there
  def finish
    rest = []
    wait_until do
      @store.recover
      # Jobs that a killed worker held are suspects by now.
      claims = [false, true].flat_map do |suspects|
        @store.claim(lease, ["default"], 1000, suspects:)
      end
      @store.ack(claims)
      rest.concat(claims.map { |claim| claim.item["jid"] })
      @store.counts.values_at(*Raffia::Jobs::Store::SETS - [:dead]).sum.zero?
    end
    rest.concat(@store.entries(:dead, limit: 1000).map(&:jid))
  end
end
