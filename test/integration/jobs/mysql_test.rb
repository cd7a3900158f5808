# frozen_string_literal: true

require "test_helper"
require "support/jobs_mysql"

# Matters of MariaDB alone: rows that others hold, plans, polling, and killed connections.
class JobsMySQLIntegrationTest < Raffia::TestCase
  include TestSupport::JobsMySQL

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

  def args(claims) = claims.map { |claim| claim.item["args"].first }

  def test_rows_that_another_worker_is_taking_are_passed_over
    @store.enqueue([draft(1), draft(2), draft(3)])
    other = connection
    other.query("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
    other.query("BEGIN")
    other.query("SELECT 1 FROM raffia_jobs FORCE INDEX (turns) WHERE state = 'queue' " \
      "AND queue = 'default' ORDER BY priority DESC, pass, place LIMIT 2 FOR UPDATE")
    assert_equal [3], args(@store.claim(lease, ["default"], 9))
    other.query("ROLLBACK")
    assert_equal [1, 2], args(@store.claim(lease, ["default"], 9))
  end

  def test_queues_come_in_their_order_and_no_more_is_taken_than_is_wanted
    %w[low high low high].each_with_index do |queue, number|
      @store.enqueue([draft(number, queue: queue)])
    end
    assert_equal [1, 3, 0], args(@store.claim(lease, %w[none high low], 3))
    assert_equal 1, @store.counts[:queue]
  end

  # A claim that sorts would lock all rows that it reads, and a change that reads the whole table
  # would wait for the rows of others.
  def test_plans
    @store.counts
    groups = Raffia::Jobs::Stores::MySQL
    plans do |explain|
      explain.call(groups::Claims::NEXT, "default", 10)
      explain.call(groups::Claims::NEXT_SUSPECTS, "default", 10)
      explain.call(groups::Schedule::DUE_IN["scheduled"], 10)
      explain.call(groups::Leases::HELD_IN_ORDER, 1)
      explain.call(groups::Recovery::HELD, 1)
      explain.call(groups::Completion::ACK, [1, 2, 3], 1, [1, 2, 3])
      explain.call(groups::Claims::TAKE, 1, [1, 2]) { |statement, *rest| statement.run(*rest) }
    end
  end

  def test_a_job_of_another_machine_is_found_by_polling
    other = open_store("look=0.05")
    FileUtils.rm_rf(other.instance_variable_get(:@address).sockets)
    token = lease
    claims = Thread.new do
      other.wait(["default"]) until (found = other.claim(token, ["default"], 1)).any?
      found
    end
    wait_until { claims.status == "sleep" }
    FileUtils.rm_rf(other.instance_variable_get(:@address).sockets)
    @store.enqueue([draft(1)])
    assert_equal [1], args(claims.value)
  end

  def test_two_hundred_fibers_get_along_with_three_connections
    few = open_store("pool=3")
    Raffia.run do |scope|
      Array.new(200) { |number| scope.spawn { few.enqueue([draft(number)]) } }.each(&:join)
    end
    assert_equal [*0...200], args(few.claim(lease(few), ["default"], 300)).sort
    assert_operator sql("SELECT count(*) FROM information_schema.processlist WHERE db = " \
      "'#{@schema}'")[0][0], :<=, 3 + 2, "and one of @store, and this one"
  end

  def test_the_queue_of_a_callback_is_known
    @store.open_batch("b", callbacks: {"success" => draft(1, queue: "reports")})
    @store.seal_batch("b")
    assert_equal ["reports"], sql("SELECT name FROM raffia_queues").flatten
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

  # The load that rivals have deadlocks with: all at once, also by unique keys, limits and batches
  # in any order. `rake bench:deadlocks` does it for longer.
  def test_there_are_no_deadlocks
    before = deadlocks
    @store.open_batch("b")
    stop = false
    busy = Array.new(4) { Thread.new { enqueue_mix until stop } }
    busy += Array.new(4) { Thread.new { claim_and_ack until stop } }
    busy << Thread.new { @store.promote until stop }
    busy << Thread.new { @store.prune(dead_max: 10) || @store.recover until stop }
    sleep(3)
    stop = true
    busy.each(&:join)
    assert_equal [0, 0], [@store.conflicts, deadlocks - before]
    assert_empty @store.check
  end

  private

  def deadlocks = sql("SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'")[0][1].to_i

  def enqueue_mix
    drafts = Array.new(8) do
      key = rand(6).to_s
      own = {"unique" => {"key" => "u#{key}", "until" => "done", "conflict" => "skip"},
             "limit" => {"key" => "l#{key}", "max" => 2}, "batch" => "b",
             "rate" => {"key" => "r#{key}", "name" => "r", "allow" => 50, "per" => 1}}
        .to_a.sample(rand(4)).to_h
      draft(1, **(own.empty? ? {} : {raffia: own}))
    end
    @store.enqueue(drafts)
    @store.enqueue([draft(1), draft(2, at: Time.now.to_f + rand * 0.1)])
  end

  def claim_and_ack
    token = lease
    10.times do
      claims = @store.claim(token, ["default"], 10)
      retried, claims = claims.partition { rand < 0.1 }
      @store.ack(claims)
      retried.each { |one| @store.retry(one, one.payload, Time.now.to_f + rand * 0.1) }
      @store.beat(token, {}, tally: Raffia::Jobs::Tally.new(processed: 1, failed: 0,
        classes: {}))
    end
    @store.resign(token)
  end

  # Statements must find rows by an index, without a sort.
  def plans
    dialect = Raffia::Jobs::Stores::MySQL::Dialect.new("raffia_")
    driver = Explaining.new(connection)
    yield lambda { |sql, *params, &how|
      (how || :rows.to_proc).call(dialect.statement(sql), driver, params)
    }
    assert_operator driver.plans.size, :>=, 7
    driver.plans.each do |text, rows|
      rows = rows.reject { |row| row["table"] == "list" }
      assert_empty rows.map { |row| row["type"] } - %w[eq_ref ref range const index_subquery], text
      refute_match(/filesort/, rows.map { |row| row["Extra"] }.join, text) if text.include?("SKIP")
    end
  end

  # Notes the plans of statements instead of running them.
  class Explaining
    attr_reader :plans

    def initialize(raw)
      @raw = raw
      @plans = []
    end

    def literal(value) = Raffia::Jobs::Stores::MySQL::Literal.of(value, @raw)

    def query(text)
      @plans << [text, @raw.query("EXPLAIN ".b << text).each_hash.to_a]
      [[1, 1], [2, 2]]
    end

    def change(text) = query(text).size
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
