# frozen_string_literal: true

require "test_helper"
require "support/jobs_mysql"
require "support/jobs_postgres"

# Transactions that would come to a deadlock, were there two orders of locks.
module JobsLockOrderSuite
  def setup
    super
    @store = Raffia::Jobs::Store.open(address)
  end

  def teardown
    @store&.close
    super
  end

  def draft(*args, queue: "default", at: nil, **own)
    fields = {"at" => at, "raffia" => (own.transform_keys(&:to_s) if own.any?)}.compact
    Raffia::Jobs::Draft.of(Raffia::Jobs::Client::PayloadBuilder.build({"class" => "Nothing",
      "args" => args, "queue" => queue, **fields}))
  end

  def lease = @store.enroll("test:#{SecureRandom.hex(6)}", {}, ttl: 600)

  def args(claims) = claims.map { |claim| claim.item["args"].first }.sort

  # Conflicts of the store's transactions from now on.
  def conflicts
    [].tap do |found|
      database.define_singleton_method(:count_conflict) { |error| found << error.message }
    end
  end

  def database = @store.instance_variable_get(:@database)

  # Another transaction has a limit, and needs a rate. A claim that has just opened this rate waits
  # for this limit.
  def test_a_claim_waits_for_limits_without_rates
    rate = {"key" => "r", "name" => "r", "allow" => 1, "per" => 0.2}
    @store.enqueue([draft(1, rate: rate), draft(2, rate: rate)])
    token = lease
    assert_equal [1], args(@store.claim(token, ["default"], 9))
    @store.enqueue([draft(3, limit: {"key" => "l", "max" => 9})])
    sleep(0.4) # the rate opens, also by the clock of this process
    found = conflicts
    claims = nil
    database.write do |db|
      db.lock("limit:l")
      claims ||= Thread.new { @store.claim(token, ["default"], 9) }
      wait_until { blocked_transactions > 0 }
      db.lock("rate:r")
    end
    assert_equal [2, 3], args(claims.value)
    assert_empty found
  end

  # Two acks of jobs that hold the same limits, in two orders.
  def test_acks_of_several_leases_take_jobs_before_limits
    @store.enqueue(Array.new(4) { |n| draft(n, limit: {"key" => "l#{n % 2}", "max" => 9}) })
    claims = Array.new(2) { lease }.flat_map { |token| @store.claim(token, ["default"], 2) }
    found = conflicts
    done = [claims, claims.reverse].map { |list| Thread.new { @store.ack(list) } }.map(&:value)
    assert_equal [true] * 4, done[0].zip(done[1].reverse).map(&:any?)
    assert_empty found
    assert_empty @store.check
  end

  # The end of a job waits for the first that its limit blocks, and this one leaves.
  def test_an_end_unblocks_the_next_job_when_the_first_is_deleted_meanwhile
    @store.enqueue(Array.new(3) { |n| draft(n, limit: {"key" => "l", "max" => 1}) })
    claims = @store.claim(token = lease, ["default"], 9)
    assert_equal [0], args(claims)
    done = nil
    @store.within(connection) do
      assert_equal 1, @store.delete(@store.entries(:blocked).first(1))
      done = Thread.new { @store.ack(claims) }
      wait_until { blocked_transactions > 0 }
    end
    assert_equal [true], done.value
    assert_equal [2], args(@store.claim(token, ["default"], 9))
    assert_empty @store.check
  end

  # Another transaction moves the job that is to be replaced.
  def test_a_unique_job_waits_for_the_row_of_the_job_that_it_replaces
    unique = {"key" => "u", "until" => "done", "conflict" => "replace"}
    @store.enqueue([draft(1, unique: unique)])
    found = conflicts
    newer = nil
    @store.within(connection) do
      assert_equal 1, @store.move(@store.entries(:queue), "other")
      newer = Thread.new { @store.enqueue([draft(2, unique: unique)]) }
      wait_until { blocked_transactions > 0 }
    end
    assert_kind_of String, newer.value.first
    assert_equal [2], @store.entries(:queue).map { |entry| entry.item["args"].first }
    assert_empty found
    assert_empty @store.check
  end
end

class JobsLockOrderPostgresTest < Raffia::TestCase
  include TestSupport::JobsPostgres
  include JobsLockOrderSuite

  def blocked_transactions = sql("SELECT count(*) FROM pg_locks WHERE NOT granted")[0][0].to_i
end

class JobsLockOrderMySQLTest < Raffia::TestCase
  include TestSupport::JobsMySQL
  include JobsLockOrderSuite

  # innodb_trx would not do: the server shows an old one to readers that come all the time.
  def blocked_transactions = sql("SHOW STATUS LIKE 'Innodb_row_lock_current_waits'")[0][1].to_i

  # InnoDB would also lock entries of the index that a claim reads: of rows that it passes over, and
  # of the first row of the next queue.
  def test_claims_and_promotions_lock_rows_that_they_take_and_no_others
    @store.enqueue([draft(1), draft(2), draft(3), draft(4, queue: "next")])
    @store.enqueue([draft(5, at: Time.now.to_f - 1), draft(6, at: Time.now.to_f + 600)])
    mine, other = Array.new(2) { reader }
    ids = sql("SELECT id FROM raffia_jobs ORDER BY id").flatten
    other.query("BEGIN")
    other.query("SELECT 1 FROM raffia_jobs WHERE id = #{ids[1]} FOR UPDATE")
    token = lease
    @store.within(mine) do
      assert_equal [1, 3, 5], args(@store.claim(token, ["default"], 9))
      @store.promote
      [ids[1], ids[3], ids[5]].each do |id|
        other.query("UPDATE raffia_jobs SET state = 'blocked' WHERE id = #{id}")
      end
    end
    other.query("ROLLBACK")
    assert_equal [2], args(@store.claim(token, ["default"], 9))
  end

  # More jobs than a claim looks at first are held by others.
  def test_a_claim_finds_jobs_behind_many_that_are_locked
    @store.enqueue(Array.new(400) { |n| draft(n) })
    other = reader
    other.query("BEGIN")
    ids = sql("SELECT id FROM raffia_jobs ORDER BY id LIMIT 390").flatten
    other.query("SELECT 1 FROM raffia_jobs FORCE INDEX (PRIMARY) WHERE id IN (#{ids.join(",")}) " \
      "FOR UPDATE")
    assert_equal [*390..399], args(@store.claim(lease, ["default"], 50))
  end

  def reader
    connection.tap do |one|
      one.query("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
      one.query("SET SESSION innodb_lock_wait_timeout = 1")
    end
  end
end
