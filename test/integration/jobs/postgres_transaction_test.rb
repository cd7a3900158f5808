# frozen_string_literal: true

require "test_helper"
require "support/jobs_postgres"

# Jobs that are written by the application's own connection, in its transaction.
class JobsPostgresTransactionTest < Raffia::TestCase
  include TestSupport::JobsPostgres

  class Noted
    include Raffia::Job

    def perform(*)
    end
  end

  class OnlyOnce
    include Raffia::Job

    options unique: :done, on_conflict: :raise

    def perform(*)
    end
  end

  def setup
    super
    @before = Raffia::Jobs::Setup.current.instance_variable_get(:@store)
    Raffia::Jobs.store = @store = Raffia::Jobs::Store.open(address)
    @mine = connection
  end

  def teardown
    @store&.close
    Raffia::Jobs::Setup.current.instance_variable_set(:@store, @before)
    Raffia::Jobs::Setup.current.instance_variable_set(:@client, nil)
    super
  end

  def waiting = @store.entries(:queue).map { |entry| entry.item["args"].first }

  def test_a_job_is_there_when_the_transaction_is_committed_and_not_before
    @mine.transaction do
      Raffia::Jobs.transaction(@mine) { assert_kind_of(String, Noted.perform_async(1)) }
      assert_empty waiting
    end
    assert_equal [1], waiting
  end

  def test_a_job_goes_with_a_transaction_that_is_rolled_back
    assert_raises(RuntimeError) do
      @mine.transaction do
        Raffia::Jobs.transaction(@mine) { Noted.perform_bulk([[1], [2]]) }
        Noted.set(connection: @mine).perform_async(3)
        raise "no"
      end
    end
    assert_empty waiting
    Noted.perform_async(4)
    assert_equal [4], waiting
  end

  def test_a_job_that_comes_after_the_block_has_the_stores_connection
    Raffia::Jobs.transaction(@mine) { Noted.perform_async(1) }
    assert_raises(RuntimeError) { @mine.transaction { Noted.perform_async(2) && raise("no") } }
    assert_equal [1, 2], waiting
  end

  def test_a_transaction_is_begun_where_there_is_none
    Raffia::Jobs.transaction(@mine) do
      Noted.perform_async(1)
      assert_equal PG::PQTRANS_INTRANS, @mine.transaction_status
      assert_empty waiting_elsewhere
    end
    assert_equal PG::PQTRANS_IDLE, @mine.transaction_status
    assert_equal [1], waiting
    assert_raises(RuntimeError) do
      Raffia::Jobs.transaction(@mine) { Noted.perform_async(2) && raise("no") }
    end
    assert_equal [1], waiting
  end

  def test_a_job_goes_with_its_savepoint
    @mine.transaction do
      Noted.set(connection: @mine).perform_async(1)
      @mine.exec("SAVEPOINT s")
      Noted.set(connection: @mine).perform_async(2)
      OnlyOnce.set(connection: @mine).perform_async(2)
      @mine.exec("ROLLBACK TO SAVEPOINT s")
      Noted.set(connection: @mine).perform_async(3)
    end
    assert_equal [1, 3], waiting
  end

  # A unique key, an expiry and a batch take several statements.
  def test_a_job_that_is_refused_does_not_end_the_transaction
    OnlyOnce.perform_async(1)
    @mine.transaction do
      assert_raises(Raffia::Jobs::NotUnique) { OnlyOnce.set(connection: @mine).perform_async(1) }
      assert_nil OnlyOnce.set(connection: @mine, on_conflict: :skip).perform_async(1)
      Noted.set(connection: @mine, expires_in: 60).perform_async(2)
    end
    assert_equal [1, 2], waiting
  end

  def test_what_was_rolled_back_is_not_unique
    @mine.exec("BEGIN")
    OnlyOnce.set(connection: @mine).perform_async(1)
    @mine.exec("ROLLBACK")
    assert_kind_of String, OnlyOnce.perform_async(1)
    assert_equal [1], waiting
  end

  def test_who_waits_is_woken_by_the_commit
    lease = @store.enroll("test:1:x", {}, ttl: 600)
    other = Raffia::Jobs::Store.open(address)
    @mine.exec("BEGIN")
    Noted.set(connection: @mine).perform_async(1)
    waiting = Thread.new do
      other.wait(["default"], timeout: PATIENCE) while
        (claims = other.claim(lease, ["default"], 1)).empty?
      claims
    end
    assert_empty @store.claim(lease, ["default"], 1)
    @mine.exec("COMMIT")
    assert_equal [1], waiting.value.map { |claim| claim.item["args"].first }
  ensure
    other&.close
  end

  # They have connections of their own, or would be in each other's way on this one.
  def test_fibers_and_threads_that_are_started_meanwhile_are_not_a_part_of_it
    @mine.exec("BEGIN")
    Raffia::Jobs.transaction(@mine) do
      Thread.new { Noted.perform_async(1) }.join
      Raffia.map([2]) { |number| Noted.perform_async(number) }
      Noted.perform_async(3)
    end
    @mine.exec("ROLLBACK")
    assert_equal [1, 2], waiting
  end

  # The row that a new queue's name has would hold up all who use it.
  def test_a_transaction_that_takes_long_holds_up_nobody
    @mine.transaction do
      Noted.set(connection: @mine, queue: "new").perform_async(1)
      Noted.set(queue: "new").perform_async(2)
      assert_equal [2], waiting
    end
    assert_equal [1, 2], waiting
  end

  def test_a_transaction_with_several_unique_jobs_holds_up_no_others
    @mine.transaction do
      Raffia::Jobs.transaction(@mine) { OnlyOnce.perform_bulk([[1], [2]]) }
      other = Thread.new { OnlyOnce.perform_bulk([[3], [4]]) }
      assert other.join(PATIENCE), "it waits for the transaction"
    end
    assert_equal [1, 2, 3, 4], waiting.sort
  end

  def test_a_transaction_of_active_record
    require "active_record"
    ActiveRecord::Base.establish_connection(adapter: "postgresql", host: "127.0.0.1",
      port: @server.port, username: "postgres", database: "postgres")
    ActiveRecord::Base.transaction do
      Raffia::Jobs.transaction(ActiveRecord::Base.connection) { Noted.perform_async(1) }
      raise ActiveRecord::Rollback
    end
    assert_empty waiting
    ActiveRecord::Base.transaction do
      Noted.set(connection: ActiveRecord::Base.connection).perform_async(2)
    end
    Raffia::Jobs.transaction(ActiveRecord::Base.connection) { Noted.perform_async(3) }
    assert_equal [2, 3], waiting
  rescue LoadError
    skip "the gem activerecord is not installed (bin/setup --server)"
  ensure
    ActiveRecord::Base.remove_connection if defined?(ActiveRecord::Base)
  end

  def test_what_cannot_take_a_job_along_is_refused
    assert_refused(/pass a PG::Connection, or Active Record's .* not Object/) do
      Raffia::Jobs.transaction(Object.new) { flunk }
    end
    assert_refused(/use the postgres or mysql store/) {
      Class.new(Raffia::Jobs::Store) {
        def url
          "none:"
        end
      }.new.within(@mine) { flunk }
    }
    elsewhere = connection(dbname: "template1")
    assert_refused(/must be one to the database of postgres:/) do
      Noted.set(connection: elsewhere).perform_async(1)
    end
    assert_equal PG::PQTRANS_IDLE, elsewhere.transaction_status
  end

  # The program is the same there.
  def test_tests_of_programs_need_no_database
    require "raffia/jobs/testing"
    Raffia::Jobs::Testing.fake do
      Raffia::Jobs.transaction(@mine) { Noted.perform_async(1) }
      Noted.set(connection: @mine).perform_async(2)
      assert_equal [1, 2], Raffia::Jobs::Testing.jobs.map { |job| job["args"].first }
    end
    Raffia::Jobs::Testing.inline { assert Noted.set(connection: @mine).perform_async(3) }
    assert_empty waiting
  end

  private

  def waiting_elsewhere = Thread.new { waiting }.value
end
