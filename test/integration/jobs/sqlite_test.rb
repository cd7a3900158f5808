# frozen_string_literal: true

require "test_helper"
require "etc"
require "tmpdir"
require "raffia/jobs"

# The SQLite store between real processes, and on disks that fail.
class JobsSQLiteProcessesTest < Raffia::TestCase
  Jobs = Raffia::Jobs

  def setup
    need_fork
    super
    @dir = Dir.mktmpdir("raffia-jobs")
    @path = File.join(@dir, "jobs.db")
    @children = []
    store # which loads the gem: "nobody" may not be able to read it
  end

  def teardown
    @children.each { |pid| Process.kill(:KILL, pid) && Process.wait(pid) }
    @store&.close
    FileUtils.rm_rf(@dir)
    super
  end

  def open_store = Jobs::Store.open("sqlite:#{@path}")

  def store = @store ||= open_store

  def draft(arg = 1)
    Jobs::Draft.of(Jobs::Client::PayloadBuilder.build({"class" => "NoJob", "args" => [arg]}))
  end

  # @yieldparam out [IO] what the child has to say
  # @return [Array(Integer, IO)]
  def child
    reader, writer = IO.pipe
    pid = fork do
      reader.close
      writer.sync = true
      yield writer
      Process.exit!(0)
    rescue Exception => error # standard:disable Lint/RescueException
      warn error.full_message
      Process.exit!(1)
    end
    @children << pid
    writer.close
    [pid, reader]
  end

  def finish(pid)
    @children.delete(pid)
    Process.wait2(pid).last
  end

  # Lines that a process got out before it was killed; the last one may be half of one.
  def killed_after(lines, pid, reader)
    said = Array.new(lines) { reader.gets }
    Process.kill(:KILL, pid)
    said += reader.read.lines
    finish(pid)
    said.select { |line| line.end_with?("\n") }.map(&:chomp)
  end

  def jids(set) = store.entries(set, limit: 1_000_000).map(&:jid)

  # In the middle of group commits: ten threads enqueue until they are killed.
  def test_what_was_acknowledged_outlives_a_kill
    3.times do |round|
      pid, reader = child do |out|
        mine = open_store
        Array.new(10) { Thread.new { loop { out.write("#{mine.enqueue([draft]).first}\n") } } }
          .each(&:join)
      end
      acknowledged = killed_after(100 + 77 * round, pid, reader)
      assert_empty acknowledged - jids(:queue)
      assert_equal [], store.check
    end
  end

  def test_what_was_acked_does_not_come_back_after_a_kill
    store.enqueue(Array.new(3000) { draft })
    pid, reader = child do |out|
      mine = open_store
      Array.new(3) do |number|
        Thread.new do
          lease = mine.enroll("host:1:#{number}", {}, ttl: 1)
          loop do
            claims = mine.claim(lease, ["default"], 7)
            done = claims.zip(mine.ack(claims))
              .filter_map { |claim, ours| "#{claim.item["jid"]}\n" if ours }
            out.write(done.join)
            # on a busy machine it was too short
            lease = mine.enroll("host:1:#{number}", {}, ttl: 1) if done.empty?
          end
        end
      end.each(&:join)
    end
    acked = killed_after(210, pid, reader)
    wait_until { store.recover && store.counts[:running].zero? }
    left = jids(:queue)
    assert_empty acked & left
    assert_equal left.size, left.uniq.size
    # The others were acked, but the kill came before the log: the claims of three threads.
    assert_operator 3000 - acked.size - left.size, :<=, 21
    assert_equal [], store.check
  end

  # It sleeps in the kernel until it is notified. One that polls would have gone to sleep again
  # meanwhile.
  def test_a_wait_does_nothing_until_it_is_notified
    skip "only Linux counts these" unless File.exist?("/proc/self/status")
    store
    pid, reader = child do |out|
      mine = open_store
      lease = mine.enroll("host:1:x", {}, ttl: 600)
      mine.wait(["default"], timeout: 0)
      out.puts("ready")
      mine.wait(["default"]) while (claims = mine.claim(lease, ["default"], 1)).empty?
      out.puts(claims.first.item["jid"])
    end
    assert_equal "ready\n", reader.gets
    switches = -> { File.read("/proc/#{pid}/status")[/^voluntary_ctxt_switches:\s+(\d+)/, 1].to_i }
    assert(wait_until { switches.call.then { |before| sleep(1.5) && switches.call == before } })
    store.enqueue([job = draft])
    assert_equal job.jid, reader.gets.chomp
    assert_predicate finish(pid), :success?
  end

  # Its transaction is another's, in the child: not to be ended, and not to be seen.
  def test_a_fork_in_the_middle_of_a_transaction
    store.enqueue([draft("before")])
    pid = nil
    reader = nil
    store.instance_variable_get(:@database).write do |db|
      pid, reader = child do |out|
        out.puts("begun")
        store.enqueue([draft("child")])
        out.puts(store.check.inspect)
      end
      assert_equal "begun\n", reader.gets
      assert_equal 1, db.run("INSERT INTO {queues} (name) VALUES ('parent')")
    end
    assert_equal "[]\n", reader.gets
    assert_predicate finish(pid), :success?
    store.enqueue([draft("after")])
    assert_equal %w[after before child],
      store.entries(:queue).flat_map { |entry| entry.item["args"] }.sort
    assert_includes store.queues.map { |queue| queue["name"] }, "parent"
    assert_equal [], store.check
  end

  def test_forks_while_threads_enqueue
    count = 0
    busy = Array.new(5) { Thread.new { 40.times { store.enqueue([draft]) && count += 1 } } }
    10.times do
      pid, = child { 5.times { store.enqueue([draft]) } }
      assert_predicate finish(pid), :success?
    end
    busy.each(&:join)
    assert_equal count + 50, store.counts[:queue]
    assert_equal [], store.check
  end

  # @return [String] what the child says of an error; who it is that may do what is decided by the
  #   system
  def refused_in_child(user: nil)
    pid, reader = child do |out|
      if user && Process.uid.zero?
        Process::Sys.setgid(user.gid)
        Process::Sys.setuid(user.uid)
      end
      out.puts(yield)
    rescue Jobs::StoreUnavailable => error
      out.puts(error.message)
    end
    reader.read.tap { finish(pid) }
  end

  def test_a_file_that_cannot_be_written
    store.enqueue([draft])
    store.close
    FileUtils.chmod(0o755, @dir)
    FileUtils.chmod(0o444, @path)
    said = refused_in_child(user: Etc.getpwnam("nobody")) { open_store.enqueue([draft]) }
    assert_match(/cannot be written|cannot be opened/, said)
    assert_equal 1, store.counts[:queue]
  end

  def test_a_directory_that_cannot_be_written
    FileUtils.chmod(0o555, @dir)
    assert_match(/cannot be opened: are its directory there, and its permissions right/,
      refused_in_child(user: Etc.getpwnam("nobody")) { open_store.enqueue([draft]) })
  end

  # Nothing of a call that fails is kept, what was kept stays, and when there is space again it goes
  # on.
  def assert_full_and_on(message, room:)
    kept = [store.enqueue([draft("first")]).first]
    error = assert_raises(Jobs::StoreUnavailable) do
      10_000.times { kept.concat(store.enqueue([draft("x" * 50_000)])) }
    end
    assert_match message, error.message
    assert_equal kept.sort, jids(:queue).sort
    room.call
    kept.concat(store.enqueue([draft("last")]))
    assert_equal kept.sort, jids(:queue).sort
    assert_equal [], store.check
  end

  def test_a_file_that_may_not_grow
    pid, = child do
      trap(:XFSZ, "IGNORE")
      limit = Process.getrlimit(:FSIZE)
      store.counts
      Process.setrlimit(:FSIZE, 2_000_000, limit.last)
      assert_full_and_on(/the disk cannot be read or written|no room left/,
        room: -> { Process.setrlimit(:FSIZE, *limit) })
    end
    assert_predicate finish(pid), :success?
  end

  def test_a_disk_that_is_full
    assert system("mount", "-t", "tmpfs", "-o", "size=3m", "raffia-test", @dir, err: File::NULL) ||
      skip("a small disk cannot be mounted here")
    begin
      assert_full_and_on(/there is no room left on the disk/,
        room: -> { system("mount", "-o", "remount,size=30m", @dir) })
    ensure
      store.close
      system("umount", @dir)
    end
  end
end
