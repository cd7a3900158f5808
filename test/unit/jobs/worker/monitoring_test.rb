# frozen_string_literal: true

require "support/jobs_case"
require "fiddle"
require "tmpdir"

# The lease monitor of a worker, and what it knows of the jobs.
class JobsWorkerMonitoringTest < TestSupport::JobsCase
  class GateJob
    include Raffia::Job

    def perform(name) = (sleep(0.005) until File.exist?(name))
  end

  # Keeps Ruby's lock, and so the whole process.
  class LockJob
    include Raffia::Job

    USLEEP = Fiddle::Function.new(Fiddle.dlopen(nil)["usleep"], [Fiddle::TYPE_INT],
      Fiddle::TYPE_INT, need_gvl: true)

    def perform(seconds)
      TestSupport::JobsCase::SEEN << [:began]
      USLEEP.call((seconds * 1_000_000).to_i)
      TestSupport::JobsCase::SEEN << [:ended]
    end
  end

  def setup
    @dir = Dir.mktmpdir("raffia-monitoring")
    super
    need_fork
  end

  def teardown
    open_gate
    super
    FileUtils.rm_rf(@dir)
  end

  def open_store = Jobs::Store.open("sqlite:#{@dir}/jobs.db")

  def test_jobs_have_begun_when_their_code_has
    {fibers: 3, threads: 1, processes: 1}.each do |on, begun|
      handle = work(threads: 1, processes: 1)
      3.times { enqueue(GateJob, gate, raffia: {"on" => on.to_s}) }
      lease = shared_lease(handle)
      wait_until { lease.begun.size == begun }
      held = @store.claim_keys(Jobs::Lease.new(identity: lease_monitor(handle).identity,
        token: lease.token,
        ttl: 15))
      assert_empty(lease.begun - held)
      open_gate
      await_counts(queue: 0, running: 0)
      assert_empty(lease.begun)
      handle.stop
      File.delete(gate)
    end
  end

  def test_a_monitor_that_was_killed_is_replaced
    handle = work
    first = lease_monitor(handle).pid
    Process.kill(:KILL, first)
    wait_until { lease_monitor(handle).pid != first }
    assert_equal([first], logged("lease monitor died").map { |line| line["pid"] })
    suspect = enqueue(NoteJob, 1, raffia: {"crashes" => 1})
    await_counts(queue: 0, running: 0, dead: 0)
    assert_nil(@store.find(suspect))
    assert_empty(SEEN, "it ran in another process")
  end

  # It outlives the program, which then could not be started again.
  def test_it_does_not_keep_the_programs_ports
    server = TCPServer.new("127.0.0.1", 0)
    port = server.addr[1]
    work
    server.close
    server = TCPServer.new("127.0.0.1", port)
    assert_equal(port, server.addr[1])
  ensure
    server&.close
  end

  def test_a_worker_that_ends_leaves_no_process
    handle = work
    pid = lease_monitor(handle).pid
    handle.stop
    assert_raises(Errno::ESRCH) { Process.kill(0, pid) }
    assert_empty(logged("worker died"))
  end

  # Its worker has nothing else to do, and ends at once.
  def test_a_suspect_has_the_workers_timeout_to_end
    handle = work_on_suspect
    stopping = Thread.new { handle.stop }
    wait_until { shared_lease(handle).stopping? }
    wait_until { handle.worker.store.processes.size == 1 } # the one in which the suspect runs
    open_gate
    stopping.join
    await_counts(queue: 0, running: 0, dead: 0)
    assert_equal([1, 0], handle.worker.figures.values_at(:processed, :busy))
  end

  def test_runs_of_suspects_count_as_runs_of_the_worker
    handle = work_on_suspect
    wait_until { handle.worker.figures[:busy] == 1 }
    open_gate
    wait_until { handle.worker.figures[:processed] == 1 }
    figures = handle.worker.figures
    assert_equal([0, 0, 1], [*figures.values_at(:busy, :failed), figures[:histogram].sum])
  end

  def test_a_suspect_that_was_killed_is_not_busy_any_more
    handle = work_on_suspect
    wait_until { handle.worker.figures[:busy] == 1 }
    Process.kill(:KILL, @store.processes.find { |process| process["work"]&.any? }["pid"])
    open_gate
    wait_until { handle.worker.figures.values_at(:processed, :busy) == [1, 0] }
  end

  def test_a_second_stop_interrupts_a_suspect
    handle = work_on_suspect
    stopping = Thread.new { handle.stop }
    wait_until { @store.processes.size == 1 }
    handle.worker.stop
    stopping.join
    await_counts(queue: 1, running: 0, dead: 0)
    assert_equal(1, only(:queue)["raffia"]["crashes"])
  end

  # It finds its own lease over, and renews it first of all.
  def test_a_worker_that_stood_still_does_not_take_its_own_jobs_away
    [@store, Jobs.store = Jobs::Store.open("memory:")].each do |store|
      work(store, monitored: false, lease: 0.3)
      store.enqueue(
        [Jobs::Draft.of(Jobs::Client::PayloadBuilder.build({"class" => "#{self.class}::LockJob",
          "args" => [0.8]}))]
      )
      assert_equal([:began], seen)
      assert_equal([:ended], seen)
      wait_until { store.counts.slice(:queue, :running) == {queue: 0, running: 0} }
      assert_empty(SEEN)
    end
    assert_empty(logged("ack too late"))
  end

  # A platform without fork.
  def test_without_a_monitor_suspects_run_when_nothing_else_does
    work(monitored: false, concurrency: 4)
    3.times { |n| enqueue(NoteJob, n, raffia: {"crashes" => 1}) }
    3.times { |n| enqueue(NoteJob, n + 3) }
    assert_equal((0...6).to_a, Array.new(6) { seen.first }.sort)
    await_counts(queue: 0, running: 0)
  end

  def test_two_workers_of_one_process_stay_apart
    first, second = work, work(queues: %w[other])
    refute_equal(lease_monitor(first).identity, lease_monitor(second).identity)
    2.times { |n| enqueue(NoteJob, n, queue: %w[default other][n]) }
    assert_equal([0, 1], [seen, seen].flatten.sort)
  end

  # The thread that looks cannot run meanwhile, and the monitor can.
  def test_a_call_that_keeps_the_lock_holds_up_the_loop
    lease = Worker::SharedLease.new(1)
    monitor = Worker::LoopMonitor.new(nil, @log, lenient: true, shared_lease: lease)
    monitor.check
    lease.observed += Worker::LoopMonitor::BLOCKED - 1
    monitor.check
    assert_empty(logged("loop blocked"))
    lease.observed += 1
    2.times { monitor.check }
    assert_equal([5.0], logged("loop blocked").map { |line| line["seconds"] })
  end

  def test_without_a_monitor_the_looks_say_how_long_a_loop_is_held_up
    monitor = Worker::LoopMonitor.new(nil, @log, lenient: true)
    Worker::LoopMonitor::BLOCKED.times { monitor.check }
    assert_empty(logged("loop blocked"))
    2.times { monitor.check }
    assert_equal([5.0], logged("loop blocked").map { |line| line["seconds"] })
  end

  private

  def work_on_suspect
    handle = work(timeout: 60)
    enqueue(GateJob, gate, raffia: {"crashes" => 1})
    await_counts(queue: 0, running: 1)
    wait_until { @store.processes.any? { |process| process["work"]&.any? } }
    handle
  end

  def gate = File.join(@dir, "gate")

  def open_gate = File.write(gate, "")

  def lease_monitor(handle) = handle.worker.instance_variable_get(:@launcher).lease_monitor

  def shared_lease(handle) = lease_monitor(handle).shared_lease
end
