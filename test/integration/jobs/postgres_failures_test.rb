# frozen_string_literal: true

require "test_helper"
require "support/jobs_postgres"

# Failures between us and PostgreSQL: their messages, and the recovery afterwards.
class JobsPostgresFailuresTest < Raffia::TestCase
  include TestSupport::JobsPostgres

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
    limits = %i[durable quick by_index].map do |way|
      database.transaction(way) { |db| db.rows("SHOW idle_in_transaction_session_timeout") }
    end
    assert_equal [[["10s"]]], limits.uniq
    assert_equal [["0"]],
      database.session { |db| db.rows("SHOW idle_in_transaction_session_timeout") }
  end

  def test_a_wrong_password_is_said_without_the_password
    sql("DROP ROLE IF EXISTS locked")
    sql("CREATE ROLE locked LOGIN PASSWORD 'right'")
    wrong = Raffia::Jobs::Store.open(address(user: "locked:secret%21"))
    error =
      assert_unavailable(
        %r{postgres://locked@127.0.0.1:.*authentication failed.*check user and password}
      ) { enqueue(1, on: wrong) }
    assert_kind_of PG::Error, error.cause
    refute_match(/secret/, wrong.inspect + wrong.url)
    sql("GRANT CREATE ON DATABASE postgres TO locked")
    right = open_store(user: "locked:right")
    assert_equal 1, enqueue(1, on: right).size
  ensure
    wrong&.close
    right&.close
    sql("DROP SCHEMA IF EXISTS #{@schema} CASCADE")
    sql("DROP OWNED BY locked")
    sql("DROP ROLE locked")
  end

  def test_a_database_that_is_not_there
    assert_unavailable(/does not exist.*make it with createdb/) do
      enqueue(1, on: open_store(database: "nowhere"))
    end
  end

  def test_a_server_that_is_not_there
    assert_unavailable(/PostgreSQL at postgres:.*refused/) do
      enqueue(1, on: open_store(port: unused_port))
    end
  end

  def test_a_role_that_may_not_make_the_tables
    sql("DROP ROLE IF EXISTS poor")
    sql("CREATE ROLE poor LOGIN")
    assert_unavailable(/permission denied.*GRANT it/) { enqueue(1, on: open_store(user: "poor")) }
  ensure
    sql("DROP ROLE poor")
  end

  def test_a_role_that_may_only_use_the_tables
    store.counts
    sql("DROP ROLE IF EXISTS modest")
    sql("CREATE ROLE modest LOGIN")
    ["USAGE ON SCHEMA", "ALL ON ALL TABLES IN SCHEMA",
      "ALL ON ALL SEQUENCES IN SCHEMA"].each { |right| sql("GRANT #{right} #{@schema} TO modest") }
    assert_equal 1, enqueue(1, on: open_store(user: "modest")).size
  ensure
    sql("DROP OWNED BY modest")
    sql("DROP ROLE modest")
  end

  def test_a_server_that_takes_no_changes
    enqueue(1)
    standby = open_store("options=-c%20default_transaction_read_only%3Don")
    assert_unavailable(/read-only.*connect to the primary/) { enqueue(2, on: standby) }
    assert_unavailable(/read-only/) { standby.enroll("test:1:x", {}) }
    assert_equal 1, standby.counts[:queue]
  end

  # By a trigger that says what the server says then.
  def test_a_full_disk_refuses_the_job_and_keeps_the_others
    enqueue(1)
    failing("53100", "could not extend file") do
      assert_unavailable(/could not extend file.*disk is full/) { enqueue(2) }
      assert_unavailable(/disk is full/) do
        store.enqueue([draft(3, raffia: {"expires_at" => Time.now.to_f + 60})])
      end
    end
    enqueue(4)
    assert_equal [1, 4], args(store.claim(lease, ["default"], 9))
  end

  def test_two_that_are_in_each_others_way_are_tried_again
    store.counts
    failing("40P01", "deadlock detected", times: 2) do
      store.enqueue([draft(1, raffia: {"expires_at" => Time.now.to_f + 60})])
    end
    assert_equal 1, store.counts[:queue]
    failing("40001", "could not serialize") do
      assert_unavailable(/could not serialize/) do
        store.enqueue([draft(1, raffia: {"expires_at" => Time.now.to_f + 60})])
      end
    end
  end

  def test_tables_of_a_later_version_are_left_alone
    store.counts
    sql("UPDATE counters SET value = 99 WHERE name = 'version'")
    assert_refused(/have version 99/) { enqueue(1, on: open_store) }
  end

  def test_tables_that_are_dropped_are_made_again
    enqueue(1)
    sql("DROP SCHEMA #{@schema} CASCADE")
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
    gate.exec("BEGIN; LOCK TABLE #{@schema}.jobs")
    caught = Thread.new { assert_raises(Unavailable) { enqueue(2) } }
    wait_until { sql("SELECT count(*) FROM pg_locks WHERE NOT granted") == [["1"]] }
    @server.kill
    assert_match(/PostgreSQL at/, caught.value.message)
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
    gate.exec("SELECT pg_advisory_lock(4711)")
    wait_at_commit(4711)
    Raffia.run do |scope|
      lost = scope.spawn { store.claim(owner, ["default"], 1) }
      wait_until { sql("SELECT count(*) FROM pg_locks WHERE NOT granted") == [["1"]] }
      lost.cancel
    end
    gate.exec("SELECT pg_advisory_unlock(4711)")
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
    assert_unavailable(/PostgreSQL at/) { store.ack(claim) }
  end

  def test_who_waits_hears_again_after_the_server_was_restarted
    owner = lease
    waiting = Thread.new do
      claims = store.claim(owner, ["default"], 1)
      until claims.any?
        store.wait(["default"], timeout: PATIENCE)
        claims = begin
          store.claim(owner, ["default"], 1)
        rescue Unavailable
          []
        end
      end
      claims
    end
    wait_until { listening == 1 }
    @server.kill
    @server.start
    wait_until { listening == 1 }
    enqueue(1, on: open_store)
    assert_equal [1], args(waiting.value)
  end

  def test_a_listening_connection_that_is_lost_comes_back
    waiting = Thread.new { store.wait(["default"], timeout: 1000) && nil }
    wait_until { listening == 1 }
    sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' || $1 " \
      "|| '%'", @schema)
    wait_until { listening == 1 || !waiting.alive? }
    store.interrupt
    assert waiting.join(PATIENCE)
  end

  def test_a_connection_whose_fiber_was_cancelled_is_nobody_elses
    one = open_store("pool=1")
    enqueue(1, on: one)
    gate = connection
    gate.exec("BEGIN; LOCK TABLE #{@schema}.jobs")
    Raffia.run do
      assert_raises(Raffia::TimeoutError) { Raffia.timeout(0.05) { enqueue(2, on: one) } }
      gate.exec("ROLLBACK")
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

  def listening
    sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' || $1 || '%' AND pid " \
      "<> pg_backend_pid()", @schema)[0][0].to_i
  end

  def unused_port = TCPServer.open("127.0.0.1", 0) { |socket| socket.addr[1] }

  # A change of a job waits for this lock when all but the commit is done.
  def wait_at_commit(lock)
    sql("CREATE FUNCTION late() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM " \
      "pg_advisory_xact_lock_shared(#{lock}); RETURN NULL; END $$")
    sql("CREATE CONSTRAINT TRIGGER late AFTER UPDATE ON jobs DEFERRABLE INITIALLY DEFERRED FOR " \
      "EACH ROW EXECUTE FUNCTION late()")
  end

  # New jobs are refused with this SQLSTATE, so many times. The count is of a sequence, which no
  # rollback takes back.
  def failing(code, words, times: 1_000_000)
    sql("CREATE SEQUENCE refused")
    sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF " \
    "nextval('#{@schema}.refused') <= #{times} THEN " \
      "RAISE EXCEPTION USING ERRCODE = '#{code}', MESSAGE = '#{words}'; END IF; RETURN new; END $$")
    sql("CREATE TRIGGER refuse BEFORE INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION refuse()")
    yield
  ensure
    sql("DROP TRIGGER refuse ON jobs")
    sql("DROP FUNCTION refuse()")
    sql("DROP SEQUENCE refused")
  end
end
