# frozen_string_literal: true

require "test_helper"
require "support/jobs_mysql"

# Failures between us and MariaDB: their messages, and the recovery afterwards.
class JobsMySQLFailuresTest < Raffia::TestCase
  include TestSupport::JobsMySQL

  Unavailable = Raffia::Jobs::StoreUnavailable

  def setup
    super
    @stores = []
  end

  def teardown
    @stores&.each(&:close)
    super
  end

  def open_store(...) = Raffia::Jobs::Store.open(address(...)).tap { |store| @stores << store }

  def store = @store ||= open_store

  def draft(*args, **fields)
    Raffia::Jobs::Draft.of(Raffia::Jobs::Client::PayloadBuilder.build({"class" => "Nothing",
      "args" => args,
      **fields.transform_keys(&:to_s)}))
  end

  def enqueue(*args, on: store) = on.enqueue(args.map { |arg| draft(arg) })

  def database = store.instance_variable_get(:@database)

  def lease(ttl: 600) = store.enroll("test:1:#{object_id}", {}, ttl: ttl)

  def args(claims) = claims.map { |claim| claim.item["args"].first }

  def assert_unavailable(message, &block)
    error = assert_raises(Unavailable, &block)
    assert_match(message, error.message)
    refute_match(/secret/, error.full_message)
    error
  end

  # A process that is suspended within a transaction holds locks, and others that are to recover
  # its jobs wait for them.
  def test_nobody_holds_a_lock_for_as_long_as_he_is_suspended
    assert_equal [["idle_transaction_timeout", 10]],
      database.session { |db|
        db.rows("SELECT 'idle_transaction_timeout', " \
        "@@idle_transaction_timeout")
      }
    store.counts
    held = nil
    assert_unavailable(/MySQL at/) do
      database.transaction(:durable) do |db|
        db.run("UPDATE {counters} SET value = 1 WHERE name = 'processed'")
        held = sql("SELECT count(*) FROM information_schema.innodb_trx")[0][0]
        id = db.rows("SELECT connection_id()")[0][0]
        sql("KILL #{id}") # as the server does after those 10 s
        db.run("UPDATE {counters} SET value = 2 WHERE name = 'processed'")
      end
    end
    assert_equal [1, 0], [held, store.counts[:processed]]
  end

  def test_a_database_that_is_not_there
    assert_unavailable(/Unknown database.*make it with CREATE DATABASE/) do
      enqueue(1, on: open_store(database: "nowhere"))
    end
  end

  def test_a_server_that_is_not_there
    assert_unavailable(/MySQL at mysql:.*refused/) do
      enqueue(1, on: open_store(port: unused_port))
    end
  end

  # By a trigger that says what the server says then.
  def test_a_full_disk_refuses_the_job_and_keeps_the_others
    enqueue(1)
    failing(1114, "the table is full") do
      assert_unavailable(/the table is full.*disk is full/) { enqueue(2) }
      assert_unavailable(/disk is full/) do
        store.enqueue([draft(3, raffia: {"expires_at" => Time.now.to_f + 60})])
      end
    end
    enqueue(4)
    assert_equal [1, 4], args(store.claim(lease, ["default"], 9))
  end

  def test_two_that_are_in_each_others_way_are_tried_again
    store.counts
    failing(1213, "Deadlock found", times: 2) do
      store.enqueue([draft(1, raffia: {"expires_at" => Time.now.to_f + 60})])
    end
    assert_equal [1, 2], [store.counts[:queue], store.conflicts]
    failing(1020, "Record has changed") do
      assert_unavailable(/Record has changed/) do
        store.enqueue([draft(1, raffia: {"expires_at" => Time.now.to_f + 60})])
      end
    end
  end

  def test_tables_of_a_later_version_are_left_alone
    store.counts
    sql("UPDATE raffia_counters SET value = 99 WHERE name = 'version'")
    assert_refused(/have version 99/) { enqueue(1, on: open_store) }
  end

  def test_tables_of_an_earlier_version_are_changed
    enqueue(1)
    sql("ALTER TABLE raffia_jobs DROP INDEX fair, DROP COLUMN fair_weight, DROP COLUMN rate")
    sql("UPDATE raffia_counters SET value = 1 WHERE name = 'version'")
    later = open_store
    enqueue(2, on: later)
    later.enqueue([draft(3, raffia: {"fair" => {"key" => "a", "weight" => 2}})])
    assert_equal [1, 2, 3], args(later.claim(lease, ["default"], 9))
    assert_equal Raffia::Jobs::Stores::SQL::Schema::VERSION,
      sql("SELECT value FROM raffia_counters WHERE name = 'version'")[0][0]
  end

  def test_tables_that_are_dropped_are_made_again
    enqueue(1)
    sql("DROP DATABASE #{@schema}")
    sql("CREATE DATABASE #{@schema}", database: nil)
    store.close # a connection forgets the database that it was to
    assert_unavailable(/its tables are gone/) { enqueue(2) }
    enqueue(3)
    assert_equal [3], args(store.claim(lease, ["default"], 9))
  end

  # Connections that the server has left are found out before anything is asked of them.
  def test_after_a_restart_nothing_is_said_to_have_failed
    enqueue(1)
    @server.kill
    @server.start
    enqueue(2)
    assert_equal [1, 2], args(store.claim(lease, ["default"], 9))
  end

  def test_a_server_that_is_killed_in_the_middle_leaves_the_answer_open
    enqueue(1)
    gate = connection
    gate.query("LOCK TABLES raffia_jobs WRITE")
    caught = Thread.new { assert_raises(Unavailable) { enqueue(2) } }
    wait_until { blocked == 1 }
    @server.kill
    assert_match(/MySQL at/, caught.value.message)
    @server.start
    assert_equal 1, store.counts[:queue]
  end

  # The worker has done its work: that is written down as soon as it can be.
  def test_an_ack_waits_for_the_server_to_come_back
    enqueue(1, 2)
    first, second = store.claim(lease, ["default"], 2)
    enqueue(3)
    @server.kill
    acks = Thread.new { store.ack([first]) }
    retried = Thread.new { store.retry(second, second.payload, Time.now.to_f + 600) }
    wait_until { [acks, retried].all? { |thread| thread.status == "sleep" } }
    @server.start
    assert_equal [true], acks.value
    assert retried.value
    assert_equal [1, 0, 1], store.counts.values_at(:queue, :running, :retry)
  end

  # No worker here knows of the job, and the lease lives.
  def test_jobs_of_a_claim_whose_answer_was_lost_are_given_back
    enqueue(1, 2)
    owner = lease
    known = store.claim(owner, ["default"], 1)
    gate = connection
    # Changes go on, and commits wait.
    ["START", "BLOCK_COMMIT"].each { |stage| gate.query("BACKUP STAGE #{stage}") }
    Raffia.run do |scope|
      lost = scope.spawn { store.claim(owner, ["default"], 1) }
      wait_until { blocked == 1 }
      lost.cancel
    end
    gate.query("BACKUP STAGE END")
    wait_until { store.counts[:running] == 2 }
    assert_equal [2], args(store.claim(owner, ["default"], 2))
    assert_equal [true], store.ack(known)
  end

  def test_an_ack_gives_up_when_the_lease_must_be_lost
    enqueue(1)
    # On a busy machine a lease may be over before its claim.
    claim = wait_until do
      store.claim(lease(ttl: 0.2), ["default"], 1).then { |claims| claims if claims.any? }
    end
    @server.kill
    assert_unavailable(/MySQL at/) { store.ack(claim) }
  end

  def test_a_connection_whose_fiber_was_cancelled_is_nobody_elses
    one = open_store("pool=1")
    enqueue(1, on: one)
    gate = connection
    gate.query("LOCK TABLES raffia_jobs WRITE")
    Raffia.run do
      assert_raises(Raffia::TimeoutError) { Raffia.timeout(0.05) { enqueue(2, on: one) } }
      gate.query("UNLOCK TABLES")
      enqueue(3, on: one)
    end
    assert_includes args(one.entries(:queue)), 3
  end

  # Its connections are the parent's, to whom nothing happens.
  def test_a_child_has_connections_of_its_own
    need_fork
    enqueue(1)
    reader, writer = IO.pipe
    pid = fork do
      enqueue(2)
      GC.start
      writer.puts(store.counts[:queue])
      exit!(true)
    end
    writer.close
    assert_equal "2\n", reader.read
    ::Process.wait(pid)
    enqueue(3)
    assert_equal [1, 2, 3], args(store.claim(lease, ["default"], 9))
  ensure
    reader&.close
  end

  private

  def blocked
    sql("SELECT count(*) FROM information_schema.processlist WHERE db = '#{@schema}' " \
      "AND state LIKE 'Waiting for %lock'")[0][0]
  end

  def unused_port = TCPServer.open("127.0.0.1", 0) { |socket| socket.addr[1] }

  # New jobs are refused with this error, so many times. Counts in a table that no rollback
  # touches.
  def failing(code, words, times: 1_000_000)
    sql("CREATE TABLE refused (count int) ENGINE = MyISAM")
    sql("INSERT INTO refused VALUES (0)")
    sql("CREATE TRIGGER refuse BEFORE INSERT ON raffia_jobs FOR EACH ROW BEGIN NOT ATOMIC " \
      "UPDATE refused SET count = count + 1; IF (SELECT count FROM refused) <= #{times} THEN " \
      "SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = #{code}, MESSAGE_TEXT = '#{words}'; END IF; END")
    yield
  ensure
    sql("DROP TRIGGER refuse")
    sql("DROP TABLE refused")
  end
end
