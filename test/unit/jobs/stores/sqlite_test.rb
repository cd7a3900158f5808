# frozen_string_literal: true

require "test_helper"
require "tmpdir"
require "raffia/jobs"
require "raffia/jobs/stores/sqlite"

# The SQLite store in one process. The contract is in test/contract, other processes in
# test/integration.
class SQLiteStoreTest < Raffia::TestCase
  Jobs = Raffia::Jobs

  def setup
    super
    @dir = Dir.mktmpdir("raffia-jobs")
    @path = File.join(@dir, "jobs.db")
    @opened = []
    store # nothing is opened yet, but the gem is loaded
  end

  def teardown
    @opened.each(&:close)
    FileUtils.rm_rf(@dir)
    super
  end

  def open_store(url = "sqlite:#{@path}", **options)
    Jobs::Store.open(url, **options).tap { |store| @opened << store }
  end

  def store = @store ||= open_store

  # Another program with the file open.
  def other
    store.counts
    SQLite3::Database.new(@path).tap { |database| @opened << database }
  end

  def draft(arg = 1, own: nil, **fields)
    item = {"class" => "NoJob", "args" => [arg], **fields.transform_keys(&:to_s)}
    item["raffia"] = own if own
    Jobs::Draft.of(Jobs::Client::PayloadBuilder.build(item))
  end

  def unavailable(pattern, &)
    assert_match(pattern, assert_raises(Jobs::StoreUnavailable, &).message)
  end

  # Number of transactions in the log: the last frame of each has the size of the database.
  def commits
    log = File.binread("#{@path}-wal")
    page = log[8, 4].unpack1("N")
    salt = log[16, 8]
    frames = (32...log.bytesize).step(24 + page).map { |at| log[at, 24] }
    frames.count { |frame| frame[8, 8] == salt && frame[4, 4].unpack1("N") > 0 }
  end

  # Another program has the database locked, so that all calls line up.
  def line_up(count)
    database = other
    database.execute("BEGIN IMMEDIATE")
    threads = Array.new(count) { |n| Thread.new { yield n } }
    threads.each { |thread| thread.report_on_exception = false }
    wait_until { threads.all? { |thread| thread.status == "sleep" } }
    before = commits
    database.execute("COMMIT")
    [threads, before]
  end

  def test_calls_at_the_same_time_share_transactions
    threads, before = line_up(50) { |n| store.enqueue([draft(n)]) }
    assert_equal 50, threads.flat_map(&:value).uniq.size
    assert_equal 50, store.counts[:queue]
    # The first call was alone, and found the database locked; later ones form groups.
    assert_operator commits - before, :<, 25
  end

  def test_a_failing_call_fails_alone
    store.enqueue(
      [draft(own: {"unique" => {"key" => "k", "until" => "done", "conflict" => "raise"}})]
    )
    threads, = line_up(20) do |n|
      own = {"unique" => {"key" => "k", "until" => "done", "conflict" => "raise"}} if n.odd?
      store.enqueue([draft("with #{n}"), draft(n, own: own)])
    end
    results = threads.map do |thread|
      thread.value.size
    rescue
      $!.class
    end # standard:disable Style/RescueModifier
    assert_equal [2, Jobs::NotUnique] * 10, results
    assert_equal 1 + 20, store.counts[:queue]
    assert_equal [], store.check
  end

  def test_a_leader_that_is_interrupted_leaves_the_others_a_leader
    threads, = line_up(10) do |n|
      store.enqueue([draft(n)])
    rescue Interrupt
      :interrupted
    end
    threads.first(5).each { |thread| thread.raise(Interrupt) }
    results = threads.map(&:value)
    kept = results.count { |result| result != :interrupted }
    assert_operator kept, :>=, 5
    assert_operator store.counts[:queue], :>=, kept
    assert_equal 1, store.enqueue([draft]).size
  end

  def test_a_fiber_that_is_cancelled_while_it_leads_leaves_the_others_a_leader
    database = other
    Raffia.run do |scope|
      database.execute("BEGIN IMMEDIATE")
      tasks = Array.new(5) { |n| scope.spawn { store.enqueue([draft(n)]) } }
      sleep(0.01)
      tasks.first(2).each { |task| task.cancel("not wanted") }
      database.execute("COMMIT")
      assert_equal 3, tasks.last(3).flat_map(&:value).size
    end
    assert_operator store.counts[:queue], :>=, 3
    assert_equal 1, store.enqueue([draft]).size
  end

  def test_a_database_that_stays_locked_is_unavailable
    patient = open_store(timeout: 0.05)
    database = other
    patient.enqueue([draft])
    database.execute("BEGIN IMMEDIATE")
    unavailable(/another process keeps the database locked/) { patient.enqueue([draft]) }
    assert_equal 1, patient.counts[:queue], "a reader does not wait"
    database.execute("COMMIT")
    assert_equal 1, patient.enqueue([draft]).size
    assert_equal 2, patient.counts[:queue]
  end

  # The next call first makes sure of the log.
  def test_a_failed_flush_acknowledges_nothing
    store.enqueue([draft])
    log = store.instance_variable_get(:@database).instance_variable_get(:@log)
    file = log.instance_variable_get(:@file)
    reader, pipe = IO.pipe # which cannot be flushed
    log.instance_variable_set(:@file, pipe)
    unavailable(/jobs\.db-wal: Invalid argument/) { store.enqueue([draft]) }
    log.instance_variable_set(:@file, file)
    store.enqueue([draft])
    assert_equal 3, store.counts[:queue]
    assert_equal "ok", other.execute("PRAGMA integrity_check").dig(0, 0)
  ensure
    [reader, pipe].each { |io| io&.close }
  end

  # A reader keeps the log from being moved, so its state on disk stays unknown.
  def test_a_failed_flush_while_the_database_is_read
    store.enqueue([draft])
    log = store.instance_variable_get(:@database).instance_variable_get(:@log)
    file = log.instance_variable_get(:@file)
    reader, pipe = IO.pipe
    log.instance_variable_set(:@file, pipe)
    unavailable(/Invalid argument/) { store.enqueue([draft]) }
    log.instance_variable_set(:@file, file)
    database = other
    database.execute("BEGIN")
    assert_equal 2, database.execute("SELECT count(*) FROM raffia_jobs").dig(0, 0)
    2.times do
      unavailable(/the database is in use: what was done last is not safe yet/) do
        store.enqueue([draft])
      end
    end
    database.execute("COMMIT")
    store.enqueue([draft])
    assert_equal 3, store.counts[:queue]
  ensure
    [reader, pipe].each { |io| io&.close }
  end

  # The leader was interrupted before it could notify.
  def test_a_notification_survives_a_later_transaction_without_jobs
    store.counts
    store.enqueue([draft])
    transaction = store.instance_variable_get(:@database).instance_variable_get(:@writer)
      .instance_variable_get(:@transaction)
    call = ->(&block) {
      transaction.run([Jobs::Stores::SQLite::GroupCommit::Call.new(block, false)])
    }
    call.call { |db| db.wake(["default"]) }
    call.call { |_| nil }
    rung = 0
    assert_raises(Interrupt) { transaction.notify { raise Interrupt } }
    2.times { transaction.notify { rung += 1 } }
    assert_equal 1, rung
  end

  # Later writes would be acknowledged, and lost.
  def test_a_removed_file_is_noticed
    2.times do
      store.enqueue([draft])
      Dir.glob("#{@path}*") { |file| File.delete(file) if File.file?(file) }
      unavailable(/jobs\.db was removed or replaced while it was open/) { store.enqueue([draft]) }
      assert_equal 0, store.counts[:queue]
      File.rename(@path, "#{@path}.old")
      unavailable(/was removed or replaced/) { store.wait(["default"]) }
      assert_equal 1, store.enqueue([draft]).size
      assert_equal 1, open_store.counts[:queue]
      store.clear(:queue)
    end
  end

  def test_without_full_synchronization_nothing_is_flushed
    %w[normal off].each do |level|
      careless = open_store("sqlite:#{@dir}/#{level}.db?synchronous=#{level}")
      careless.enqueue([draft])
      assert_nil careless.instance_variable_get(:@database).instance_variable_get(:@log)
        .instance_variable_get(:@file)
      assert_equal "sqlite:#{@dir}/#{level}.db?synchronous=#{level}", careless.url
    end
  end

  def test_addresses_of_files
    assert_equal "sqlite:#{@path}", store.url
    assert_equal "sqlite:#{File.expand_path("a.db")}", Jobs::Store.open("sqlite3:a.db").url
    assert_equal "sqlite:/tmp/a.db", Jobs::Store.open("sqlite:///tmp/a.db").url
    assert_refused(/a file is needed/) { Jobs::Store.open("sqlite:") }
    assert_refused(/a file is needed/) { Jobs::Store.open("sqlite::memory:") }
    assert_refused(/synchronous is full, normal or off, not maybe/) do
      Jobs::Store.open("sqlite:a.db?synchronous=maybe")
    end
    assert_refused(/there is no option pragma/) { Jobs::Store.open("sqlite:a.db?pragma=1") }
  end

  def test_a_link_is_the_same_database
    store.enqueue([draft])
    File.symlink(@path, "#{@dir}/link.db")
    waiting = Thread.new { store.wait(["other"]) }
    wait_until { Dir.exist?("#{@path}-wake") && waiting.status == "sleep" }
    linked = open_store("sqlite:#{@dir}/link.db")
    linked.enqueue([draft(queue: "other")])
    assert waiting.join(PATIENCE)
    assert_equal 2, store.counts[:queue]
    assert_equal store.url, linked.url
  end

  def test_a_file_that_is_no_database_is_refused
    File.write(@path, "not a database, but long enough to be taken for one" * 100)
    unavailable(/is damaged, or is no SQLite database/) { store.counts }
    unavailable(/cannot be opened: are its directory there/) do
      open_store("sqlite:#{@dir}/nowhere/jobs.db").enqueue([draft])
    end
  end

  def test_a_database_of_a_later_version_is_refused
    other.execute("UPDATE raffia_counters SET value = 99 WHERE name = 'version'")
    unavailable(/was made by a later version of Raffia \(its tables are of version 99/) do
      open_store.counts
    end
  end

  def test_a_database_with_other_tables_is_shared
    database = SQLite3::Database.new(@path)
    database.execute("CREATE TABLE jobs (id integer)")
    database.close
    store.enqueue([draft])
    assert_equal 0, other.execute("SELECT count(*) FROM jobs").dig(0, 0)
    assert_equal 1, store.counts[:queue]
  end

  # The uptime begins anew, so older leases would hold for as long as the machine was up.
  def test_leases_do_not_outlive_the_machine
    lease = store.enroll("host:1:x", {}, ttl: 600)
    store.enqueue([draft])
    assert_equal 1, store.claim(lease, ["default"], 5).size
    other.execute("UPDATE raffia_counters SET value = value + 1 WHERE name = 'boot'")
    later = open_store
    assert_equal [1], later.recover.map(&:crashes)
    assert_nil later.beat(lease)
    assert_equal 1, later.counts[:queue]
  end

  def test_a_lease_that_ends_later_than_it_could_is_void
    lease = store.enroll("host:1:x", {}, ttl: 10)
    other.execute("UPDATE raffia_leases SET ends_at = ends_at + 1000")
    assert_equal [], store.processes
    store.recover
    assert_nil store.beat(lease)
  end

  def test_the_check_finds_broken_invariants
    store.open_batch("b")
    limit = {"key" => "k", "max" => 1}
    store.enqueue([draft(1, own: {"batch" => "b", "limit" => limit}),
      draft(2, own: {"unique" => {"key" => "u", "until" => "done"}})])
    assert_equal [], store.check
    ruin = other
    ruin.execute("UPDATE raffia_batches SET pending = 7")
    ruin.execute("UPDATE raffia_jobs SET state = 'blocked' WHERE limit_key = 'k'")
    ruin.execute("DELETE FROM raffia_jobs WHERE unique_key = 'u'")
    ruin.execute("UPDATE raffia_counters SET value = 0 WHERE name = 'number'")
    found = store.check.join("\n")
    assert_match(/batch b counts 7 pending jobs, and has 1/, found)
    assert_match(/is blocked by limit k, which has no running or waiting job/, found)
    assert_match(/the unique key u belongs to job \d+, which does not exist/, found)
    assert_match(/has the number \d+, which the next job will get/, found)
    ruin.execute("UPDATE raffia_jobs SET token = 5")
    assert_match(/is blocked, and its lease does not fit/, store.check.join("\n"))
  end

  def test_an_old_sqlite_causes_a_warning
    driver = Jobs::Stores::SQLite::Driver
    store
    assert_nil driver.warning
    assert_match(/SQLite 3\.46\.0 may corrupt a database .* use 3\.51\.3 or later/,
      driver.warning("3.46.0"))
  end

  def test_network_file_systems_are_refused
    place = Jobs::Stores::SQLite::DatabaseFile
    store
    dir = File.realpath(@dir)
    mounts = File.join(@dir, "mounts")
    File.write(mounts, "/dev/sda / ext4 rw 0 0\nserver:/x #{dir} nfs4 rw 0 0\n")
    unavailable(/network's file system \(nfs4\)/) { place.check(@path, mounts) }
    File.write(mounts, "/dev/sda / ext4 rw 0 0\nserver:/x #{dir}/else nfs4 rw 0 0\n")
    assert_nil place.check(@path, mounts)
    assert_nil place.check(@path, File.join(@dir, "no such file"))
    assert_equal "a b", place.unescape("a\\040b")
  end

  # The dashboard reads these for each page, and tables are larger than their indexes.
  def test_counts_read_indexes_only
    store.enqueue([draft])
    inspection = Jobs::Stores::SQL::Inspection
    ["SELECT #{inspection::COUNTS.values.join(", ")}", inspection::SIZES].each do |sql|
      plan = other.execute("EXPLAIN QUERY PLAN #{Jobs::Stores::SQLite::Dialect.new.translate(sql)}",
        [10]).map(&:last)
      reads = plan.grep(/raffia_jobs/)
      assert_operator reads.size, :>=, 3
      assert_empty reads.grep_v(/COVERING INDEX/), plan.join("\n")
    end
  end

  # Claims and turns of a fair queue read an index in its order, and sort nothing.
  def test_fair_queues_read_indexes_in_their_order
    store.enqueue([draft])
    sql = Jobs::Stores::SQL
    {sql::Claims::TAKE => "turns", sql::FairTurns::BASE => "turns", sql::FairTurns::LAST => "fair",
     sql::RateAdmission::BLOCKED => "rated",
     sql::RateAdmission::NEXT => "opening"}.each do |statement, index|
      text = Jobs::Stores::SQLite::Dialect.new.translate(statement).gsub("raffia_now()", "0")
      plan = other.execute("EXPLAIN QUERY PLAN #{text}", [1] * text.scan(/\?\d/).uniq.size)
        .map(&:last)
      assert_empty(plan.grep(/SCAN (?!.* USING)|TEMP B-TREE/), plan.join("\n"))
      assert(plan.any? { |line| line.match?(/INDEX \w+_#{index}\b/) }, plan.join("\n"))
    end
  end

  # Arguments of jobs are private.
  def test_new_files_are_private
    umask = File.umask(0o022)
    store.enqueue([draft])
    store.wait(["default"], timeout: 0)
    mode = ->(path) { File.stat(path).mode & 0o777 }
    assert_equal [0o600] * 3, [@path, "#{@path}-wal", "#{@path}-shm"].map(&mode)
    assert_equal [0o700, 0o600], ["#{@path}-wake", Dir.glob("#{@path}-wake/*").first].map(&mode)
  ensure
    File.umask(umask) if umask
  end

  def test_a_file_of_a_group_stays_shared
    File.write(@path, "")
    File.chmod(0o660, @path)
    Dir.mkdir("#{@path}-wake", 0o755)
    store.enqueue([draft])
    store.wait(["default"], timeout: 0)
    assert_equal [0o660, 0o660, 0o770, 0o660],
      [@path, "#{@path}-wal", "#{@path}-wake",
        Dir.glob("#{@path}-wake/*").first].map { |path| File.stat(path).mode & 0o777 }
  end

  # Another user may have made it first in a temporary folder.
  def test_a_folder_of_another_user_is_not_used
    skip "only root can make one" unless ::Process.uid.zero?
    Dir.mkdir("#{@path}-wake")
    store.counts
    File.chown(65_534, nil, "#{@path}-wake")
    store.wait(["default"], timeout: 0)
    assert_empty Dir.children("#{@path}-wake")
  end

  def test_without_a_socket_a_wait_polls
    File.write("#{@path}-wake", "in the way of the directory")
    waiting = Thread.new { store.wait(["default"]) }
    wait_until { waiting.status == "sleep" }
    open_store.enqueue([draft])
    assert waiting.join(PATIENCE)
    again = Thread.new { store.wait(["other"]) }
    wait_until { again.status == "sleep" }
    wait_until { store.interrupt || again.join(0.01) }
  end

  def test_sockets_of_a_path_that_is_too_long_are_elsewhere
    deep = File.join(@dir, "d" * 120)
    Dir.mkdir(deep)
    address = Jobs::Stores::SQLite::Address.parse("sqlite:#{deep}/jobs.db")
    assert_operator address.sockets.bytesize, :<, 83
    far = open_store(address.to_s)
    waiting = Thread.new { far.wait(["default"]) }
    wait_until { Dir.exist?(address.sockets) && waiting.status == "sleep" }
    open_store(address.to_s).enqueue([draft])
    assert waiting.join(PATIENCE)
  ensure
    FileUtils.rm_rf(address.sockets)
  end

  def test_the_socket_of_a_killed_process_is_taken_away
    store.wait(["default"], timeout: 0)
    dead = File.join("#{@path}-wake", "1-dead")
    Socket.new(:UNIX, :DGRAM).tap { |socket| socket.bind(Socket.sockaddr_un(dead)) }.close
    store.enqueue([draft])
    refute_path_exists dead
    assert_equal 1, Dir.children("#{@path}-wake").size
    store.close
    assert_empty Dir.children("#{@path}-wake")
  end

  def test_a_closed_store_can_be_used_again
    store.enqueue([draft])
    store.close
    assert_equal 1, store.counts[:queue]
  end

  def test_bytes_come_back_unchanged
    broken = "\xFF\x00{".b.force_encoding(Encoding::UTF_8)
    store.enqueue([Jobs::Draft.new(jid: "j", queue: "default", payload: broken, at: nil,
      extras: nil)])
    claim = store.claim(store.enroll("h:1:x", {}, ttl: 60), ["default"], 1).first
    assert_equal broken.bytes, claim.payload.bytes
    assert_raises(Jobs::BadPayload) { claim.item }
    assert store.bury(claim, claim.payload)
    assert_equal [broken.bytes], store.entries(:dead).map { |entry| entry.payload.bytes }
  end

  def test_a_group_of_calls_has_one_leader
    queue = Jobs::Stores::SQLite::CommitQueue.new
    calls = Array.new(3) { Jobs::Stores::SQLite::GroupCommit::Call.new(nil, true) }
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
