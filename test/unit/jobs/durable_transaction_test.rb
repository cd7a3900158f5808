# frozen_string_literal: true

require_relative "durable_case"
require "tmpdir"

# Steps in transactions of the application's database: what is written, and what is refused. Kills
# are in test/integration/jobs/durable_transaction_test.rb.
class JobsDurableTransactionTest < JobsDurableCase
  def setup
    super
    Raffia::Optional.gem("sqlite3", ">= 2.9.2", for: "this test")
    @dir = Dir.mktmpdir
    @db = SQLite3::Database.new("#{@dir}/application.db")
    @db.execute("CREATE TABLE effects (name text)")
  rescue Raffia::MissingDependency => error
    skip error.message
  end

  def teardown
    @db&.close
    Application.remove_connection if self.class.const_defined?(:Application)
    FileUtils.rm_rf(@dir) if @dir
    super
  end

  def test_the_effect_and_its_record_are_committed_together
    db = @db
    made = function do
      transaction(:pay, 7, on: db) do |connection, step|
        connection.execute("INSERT INTO effects VALUES ('paid')")
        EFFECTS << [connection.equal?(db), step.key]
        {"paid" => 5}
      end
    end
    work
    id = made.start
    assert_equal({"paid" => 5}, result(id))
    same, key = effects.first
    assert(same)
    assert_equal([["paid"]], written)
    assert_equal([key], @db.execute("SELECT id FROM raffia_steps").flatten)
    assert_equal(["transaction pay [7]"], steps(id))
    refute_predicate(@db, :transaction_active?)
  end

  def test_a_record_that_the_store_does_not_have_is_taken_from_the_application
    made = paying
    lose_record
    work
    id = made.start
    assert_equal(1, result(id))
    assert_equal([:executed], effects)
    assert_equal([["paid"]], written)
    assert_equal(%w[job], seen)
    await_counts(queue: 0, running: 0, retry: 0)
    assert_predicate(SEEN, :empty?)
  end

  def test_the_record_of_another_transaction_is_not_taken
    made = paying
    lose_record
    id = made.start
    made.retry_in { 3600 }
    work
    await_counts(retry: 1)
    db = @db
    made.define_method(:call) do
      transaction(:refund, on: db) { EFFECTS << :refunded }
    rescue
      step(:hidden) { EFFECTS << :hidden }
    end
    hurry(:retry)
    await_status(id, "stuck")
    assert_match(/has the transaction pay here, and the code now does refund: run the code/,
      Durable.flow(id)["error"])
    assert_equal([:executed], effects)
  end

  def test_an_error_rolls_back_and_the_step_is_tried_again
    db = @db
    made = function(retry: 1) do
      transaction(:pay, on: db) do |connection, step|
        connection.execute("INSERT INTO effects VALUES ('paid')")
        step.enqueue(NoteJob, "job")
        EFFECTS << step.key
        raise "once" if EFFECTS.size == 1
      end
    end
    made.retry_in { 0 }
    work
    result(made.start)
    assert_equal([["paid"]], written)
    assert_equal(1, effects.uniq.size)
    assert_equal(["job"], seen)
  end

  def test_a_final_error_rolls_back_and_is_recorded
    db = @db
    made = function do
      transaction(:pay, on: db, final: [KeyError]) do |connection, step|
        connection.execute("INSERT INTO effects VALUES ('paid')")
        step.enqueue(NoteJob, "job")
        {}.fetch(:card)
      end
    rescue Durable::StepFailed => error
      error.error_class
    end
    work
    assert_equal("KeyError", result(made.start))
    assert_empty(written)
    assert_predicate(SEEN, :empty?)
  end

  def test_a_result_that_json_would_change_rolls_back
    db = @db
    made = function do
      transaction(:pay, on: db) do |connection|
        connection.execute("INSERT INTO effects VALUES ('paid')")
        :symbol
      end
    end
    work
    await_status(made.start, "failed")
    assert_match(/the result of pay holds :symbol/, only(:dead)["error_message"])
    assert_empty(written)
    refute_predicate(@db, :transaction_active?)
  end

  def test_an_open_transaction_is_refused
    db = @db
    made = function(retry: 0) { transaction(:pay, on: db) { EFFECTS << 1 } }
    work
    @db.transaction do
      await_status(made.start, "failed")
      assert_match(/a transaction is open on this connection already/, only(:dead)["error_message"])
    end
    assert_empty(effects)
  end

  def test_other_objects_are_refused
    made = function(retry: 0) { transaction(:pay, on: Object.new) { EFFECTS << 1 } }
    work
    await_status(made.start, "failed")
    assert_match(/transaction cannot write on a Object: pass a connection/,
      only(:dead)["error_message"])
    assert_empty(effects)
  end

  def test_a_step_in_a_transaction_is_refused
    db = @db
    made = function(retry: 0) { transaction(:pay, on: db) { step(:one) { 1 } } }
    work
    await_status(made.start, "failed")
    assert_match(/a step cannot be within a step: step one/, only(:dead)["error_message"])
    refute_predicate(@db, :transaction_active?)
  end

  def test_records_of_encrypted_functions_are_encrypted
    Jobs.keys = {:active => "a", "a" => "k" * 32}
    db = @db
    made = function(encrypt: true) do |card|
      transaction(:pay, on: db) { |_, step| step.enqueue(NoteJob, 1) && "card #{card}" }
    end
    made.retry_in { 0 }
    lose_record
    work
    assert_equal("card 4111-plain", result(made.start("4111-plain")))
    assert_match(/\A\{"raffia:enc"/, @db.get_first_value("SELECT record FROM raffia_steps"))
  ensure
    Jobs.keys = nil
  end

  def test_a_transaction_of_active_record
    made = recording do
      values = [transaction(:pay, on: Application) do |one|
        one.execute("INSERT INTO effects VALUES (1)") && 1
      end,
        transaction(:undo, on: Application.connection) do |one|
          one.execute("INSERT INTO effects VALUES (2)")
          raise ActiveRecord::Rollback
        end]
      EFFECTS << Application.connection.transaction_open?
      values
    end
    assert_equal([1, nil], result(made.start))
    assert_equal([["1"]], written)
    assert_equal([false], effects)
    assert_equal(1, @db.get_first_value("SELECT count(*) FROM raffia_steps"))
  end

  def test_a_block_that_is_left_is_rolled_back_and_fails
    db = @db
    made = recording do |active, how|
      catch(:out) do
        transaction(:go, on: active ? Application : db) do |one|
          one.execute("INSERT INTO effects VALUES ('left')")
          (how == "break") ? break : throw(:out)
        end
      end
    end
    [true, false].product(%w[break throw]).each do |active, how|
      id = made.start(active, how)
      await_status(id, "failed")
      assert_match(/its\s+effect would have no record/, Durable.flow(id)["error"])
    end
    assert_equal([], written)
    assert_equal(0, @db.get_first_value("SELECT count(*) FROM raffia_steps"))
  end

  def test_an_open_transaction_of_active_record_is_refused_except_that_of_a_test
    made = recording do |joinable|
      Application.transaction(joinable: joinable) do
        transaction(:pay, on: Application) { 1 }
      end
    end
    assert_equal(1, result(made.start(false)))
    id = made.start(true)
    await_status(id, "failed")
    assert_match(/a transaction is open on this connection/, Durable.flow(id)["error"])
  end

  def test_records_are_kept_for_thirty_days
    table = Durable::StepTable.new(Durable::ApplicationDatabase.wrap(@db))
    table.once("new") { "1" }
    @db.execute("INSERT INTO raffia_steps VALUES ('old', '2', #{Time.now.to_i - 31 * 86_400})")
    table.send(:prune)
    assert_equal(%w[new], @db.execute("SELECT id FROM raffia_steps").flatten)
  end

  def test_a_job_is_enqueued_with_the_record_of_a_step
    made = function(retry: 1) do
      step(:one) do |s|
        EFFECTS << s.enqueue(NoteJob, "job")
        raise "once" if EFFECTS.size == 1
      end
    end
    made.retry_in { 0 }
    work
    result(made.start)
    assert_equal(["job"], seen)
    await_counts(queue: 0, running: 0)
    assert_predicate(SEEN, :empty?)
    assert_equal(2, effects.uniq.size)
  end

  def test_what_is_no_job_is_not_enqueued
    made = function(retry: 0) { step(:one) { |s| s.enqueue(String) } }
    work
    await_status(made.start, "failed")
    assert_match(/String is no class that includes Raffia::Job/, only(:dead)["error_message"])
  end

  private

  def recording(&)
    require "active_record"
    unless self.class.const_defined?(:Application)
      self.class.const_set(:Application, Class.new(ActiveRecord::Base))
      Application.abstract_class = true
    end
    Application.establish_connection(adapter: "sqlite3", database: "#{@dir}/application.db")
    function(retry: 0, &).tap { work }
  rescue LoadError
    skip "the gem activerecord is not installed (bin/setup --server)"
  end

  def written = @db.execute("SELECT name FROM effects")

  def paying
    db = @db
    function(retry: 1) do
      transaction(:pay, on: db) do |connection, step|
        connection.execute("INSERT INTO effects VALUES ('paid')")
        step.enqueue(NoteJob, "job")
        EFFECTS << :executed
        1
      end
    end.tap { |made| made.retry_in { 0 } }
  end

  # Once, the store fails after the application's commit.
  def lose_record
    lost = false
    @store.define_singleton_method(:record_step) do |*all, **how|
      next super(*all, **how) if lost

      lost = true
      raise "the record is lost"
    end
  end
end
