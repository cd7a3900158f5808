# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"
require "raffia/jobs/stores/postgres"
require "raffia/jobs/stores/redis"
require "raffia/jobs/stores/sqlite"

# Objects of the stores that need no server.
class JobsStorePartsTest < Raffia::TestCase
  Jobs = Raffia::Jobs
  Stores = Jobs::Stores

  def lease(token = 1) = Jobs::Lease.new(identity: "a:1:b", token: token, ttl: 60)

  def claim(id, place = id) = Jobs::Claim.new(lease, [id, place], "default", "{}")

  UPSERT = "INSERT INTO {counters existing} (name, value) VALUES ($1, $2) {upsert name} " \
    "value = {existing value} + {excluded value} {returning} value"

  def test_upserts_are_words_of_the_dialect
    assert_equal "INSERT INTO raffia_counters AS existing (name, value) VALUES (?1, ?2) " \
      "ON CONFLICT (name) DO UPDATE SET value = existing.value + excluded.value RETURNING value",
      Stores::SQLite::Dialect.new.translate(UPSERT)
    assert_equal "INSERT INTO \"app\".counters AS existing (name, value) VALUES ($1, $2) " \
      "ON CONFLICT (name) DO UPDATE SET value = existing.value + excluded.value RETURNING value",
      Stores::Postgres::Dialect.new("app").text(UPSERT)
  end

  # As MySQL says it.
  def test_a_dialect_may_have_other_upserts
    words = {"upsert" => "ON DUPLICATE KEY UPDATE", "excluded" => "VALUES(%s)", "existing" => "%s"}
    dialect = Stores::SQL::Dialect.new(words, "")
    assert_equal "VALUES ($1) ON DUPLICATE KEY UPDATE value = value + VALUES(value)",
      dialect.translate("VALUES ($1) {upsert name} value = {existing value} + {excluded value}")
  end

  def test_words_of_sqlite
    text = Stores::SQLite::Dialect.new.translate("id {ids $1} {skip_locked}{contains payload $12}")
    assert_equal "id IN (SELECT value FROM json_each(?1)) instr(payload, ?12) > 0", text
  end

  # A database whose transactions are the block.
  class Transactions
    attr_reader :rows_now

    def initialize(*rows)
      @rows_now = rows
    end

    def write(**) = yield(self)

    alias_method :read, :write

    def rows(*) = @rows_now
  end

  def test_claims_whose_answer_was_lost_go_back_before_the_next_claim
    returned = []
    database = Transactions.new([1, 1], [2, 2])
    held = Stores::Postgres::HeldClaims.new(database) { |_, refs, token| returned << [refs, token] }
    held.adding(lease) { [claim(1)] }
    assert_raises(IOError) { held.adding(lease) { raise IOError } }
    assert_empty returned
    held.adding(lease) { [claim(3)] }
    assert_equal [[[[2, 2]], 1]], returned
    held.adding(lease) { [] }
    assert_equal 1, returned.size
  end

  def test_the_end_of_a_claim_is_repeated_until_the_server_is_back
    tries = 0
    operation = lambda do
      ((tries += 1) < 2) ? raise(Jobs::StoreUnavailable) : false
    end
    completion = Stores::Postgres::CompletionRetry.new(Transactions.new([1]))
    assert_equal :verified, completion.call(lease, operation) { |_, done| done || :verified }
    assert_equal 2, tries
    lost = Stores::Postgres::CompletionRetry.new(Transactions.new)
    tries = 0
    assert_equal false, lost.call(lease, operation) { flunk }
  end

  def test_a_retry_ends_with_the_lease
    brief = Jobs::Lease.new(identity: "a:1:b", token: 1, ttl: 0)
    completion = Stores::Postgres::CompletionRetry.new(Transactions.new)
    assert_raises(Jobs::StoreUnavailable) do
      completion.call(brief, -> { raise Jobs::StoreUnavailable }) { flunk }
    end
  end

  def test_claims_of_one_call_to_redis_share_their_bytes
    group = Stores::Redis::ClaimGroup.new(lease, "77", "mail")
    claims = group.claims(5, [2, 3].pack(Stores::Redis::ClaimGroup::NUMBERS), "{}[1]")
    assert_equal [["{}", [77, 5]], ["[1]", [77, 6]]], claims.map { |one| [one.payload, one.key] }
    assert_equal [77, 6, "my queue"], Stores::Redis::ClaimGroup.read("77.6 my queue")
    bytes = group.claims(0, [1, 2].pack("L<*"), "\xFFab".b).map(&:payload)
    assert_equal [Encoding::BINARY, Encoding::UTF_8], bytes.map(&:encoding)
  end

  def test_a_group_of_calls_has_one_leader
    queue = Stores::SQLite::CommitQueue.new
    calls = Array.new(3) { Stores::SQLite::GroupCommit::Call.new(nil, true) }
    groups = []
    gate = Thread::Queue.new
    threads = calls.map do |call|
      wait_until { groups.size == 1 } unless call.equal?(calls.first)
      Thread.new { queue.enter(call) { |group| (groups << group).size == 1 && gate.pop } }
    end
    wait_until { threads.all? { |thread| thread.status == "sleep" } }
    gate << true
    threads.each(&:join)
    assert_equal [[calls[0]], calls[1..]],
      groups.map { |group| group.sort_by { |c| calls.index(c) } }
  end
end
