# frozen_string_literal: true

require "support/jobs_case"

class JobsWorkerExecutorsTest < TestSupport::JobsCase
  SEEN = TestSupport::JobsCase::SEEN

  class ThreadJob
    include Raffia::Job

    options on: :threads

    def perform(what = nil)
      SEEN <<
        [Thread.current.equal?(Thread.main), Fiber.current_scheduler.nil?, Fiber[:jobs_test],
          Thread.current[:jobs_test]]
      Fiber[:jobs_test] = Thread.current[:jobs_test] = jid
      case what
      when "fail" then raise "in a thread"
      when "ask" then sleep(0.01) until run.cancelled?
      when "polite"
        sleep(0.01) until stopping?
        raise Raffia::Jobs::Interrupted
      when "sleep" then sleep
      end
    end
  end

  # Writes into a file: nothing else of it comes here.
  class ProcessJob
    include Raffia::Job

    options on: :processes

    def perform(path, what = nil)
      File.write(path, "#{::Process.pid} #{jid} #{Raffia::Jobs::Worker::Run.current.equal?(run)}\n",
        mode: "a")
      case what
      when "fail" then raise KeyError, "in a process"
      when "die" then ::Process.kill(:KILL, ::Process.pid)
      when "exit" then exit(4)
      when "sleep" then sleep
      when "polite"
        sleep(0.01) until stopping?
        raise Raffia::Jobs::Interrupted
      when "progress"
        run.progress = 0.25
        sleep
      end
    end
  end

  class RactorJob
    include Raffia::Job

    options on: :ractors

    def perform(port, what = nil)
      raise "in a Ractor" if what == "fail"

      TCPSocket.open("127.0.0.1", port) do |socket|
        socket.write("#{Ractor.current.equal?(Ractor.main)} #{jid}")
      end
    end
  end

  class Count
    def call(job, item)
      SEEN << [:around, job.class, item["jid"]]
      yield
    end
  end

  def teardown
    super
    File.unlink(@file) if @file && File.exist?(@file)
  end

  def file = @file ||= File.join(Dir.tmpdir, "raffia-jobs-#{::Process.pid}-#{rand(1 << 32)}")

  # @return [Array<Array<String>>] what processes have written
  def written(count = 1)
    lines = nil
    wait_until(60) { (lines = File.exist?(file) ? File.readlines(file) : []).size >= count }
    lines.map(&:split)
  end

  def test_on_a_thread
    work
    ThreadJob.perform_async
    assert_equal [false, true, nil, nil], seen
    await_counts(queue: 0, running: 0)
  end

  def test_threads_keep_nothing_of_a_job
    work(threads: 1)
    3.times { ThreadJob.perform_async }
    3.times { assert_equal [false, true, nil, nil], seen }
  end

  def test_a_failure_on_a_thread
    work
    enqueue(ThreadJob, "fail", raffia: {"on" => "threads"})
    await_counts(retry: 1)
    assert_equal "in a thread", only(:retry)["error_message"]
  end

  def test_on_a_thread_a_job_is_only_told
    handle = work
    jid = ThreadJob.perform_async("ask")
    seen
    assert_equal :requested, handle.worker.cancel(jid)
    await_counts(queue: 0, running: 0, dead: 0)
    assert_match(/must ask stopping/, logged("cancel").first["why"])
  end

  def test_a_cancelled_job_that_ends_early_on_a_thread_does_not_go_on
    handle = work
    jid = ThreadJob.perform_async("polite")
    seen
    assert_equal :requested, handle.worker.cancel(jid)
    await_counts(queue: 0, running: 0, retry: 0, dead: 0)
    assert_equal [jid], logged("cancelled").map { |line| line["jid"] }
    assert_predicate SEEN, :empty?
  end

  def test_a_thread_has_no_more_time_than_is_said
    work
    ThreadJob.set(timeout: 0.05, retry: 0).perform_async("sleep")
    await_counts(dead: 1)
    assert_equal "Raffia::TimeoutError", only(:dead)["error_class"]
  end

  def test_at_the_end_threads_are_interrupted
    handle = work(timeout: 0.01)
    ThreadJob.perform_async("sleep")
    seen
    handle.stop
    await_counts(queue: 1, running: 0)
  end

  def test_no_more_are_claimed_than_can_have_a_thread_soon
    handle = work(threads: 1, timeout: 0.01)
    5.times { ThreadJob.perform_async("sleep") }
    seen
    await_counts(queue: 3, running: 2)
    handle.stop
    await_counts(queue: 5, running: 0)
  end

  def test_on_a_process
    need_fork
    work(processes: 1)
    jids = Array.new(3) { ProcessJob.perform_async(file) }
    lines = written(3)
    refute_includes lines.map(&:first), ::Process.pid.to_s
    assert_equal jids.map { |jid| [jid, "true"] }.sort, lines.map { |line| line.drop(1) }.sort
    await_counts(queue: 0, running: 0)
  end

  def test_failures_on_a_process
    need_fork
    work(processes: 1)
    {"fail" => ["KeyError", /in a process/], "exit" => ["SystemExit", /exit/],
     "die" => ["Raffia::WorkerDied", /SIGKILL/]}.each do |what, (name, text)|
      ProcessJob.set(retry: 0, on: :processes).perform_async(file, what)
      await_counts(dead: 1)
      item = only(:dead)
      assert_equal name, item["error_class"]
      assert_match text, item["error_message"]
      @store.clear(:dead)
    end
  end

  def test_a_process_can_be_killed
    need_fork
    handle = work(processes: 1)
    jid = ProcessJob.perform_async(file, "sleep")
    written
    assert_equal :killed, handle.worker.cancel(jid)
    await_counts(queue: 0, running: 0, dead: 0, retry: 0)
    ProcessJob.perform_async(file)
    written(2)
  end

  def test_a_process_has_no_more_time_than_is_said
    need_fork
    work(processes: 1)
    ProcessJob.set(timeout: 0.1, retry: 0).perform_async(file, "sleep")
    await_counts(dead: 1)
    assert_equal "Raffia::TimeoutError", only(:dead)["error_class"]
  end

  def test_at_the_end_processes_are_killed
    need_fork
    handle = work(processes: 1, timeout: 0.01)
    ProcessJob.perform_async(file, "sleep")
    written
    handle.stop
    await_counts(queue: 1, running: 0)
  end

  # It continues later, and that is no failure.
  def test_a_process_hears_that_the_worker_stops
    need_fork
    handle = work(processes: 1, timeout: 60)
    jid = ProcessJob.perform_async(file, "polite")
    written
    handle.stop
    await_counts(queue: 1, running: 0, retry: 0)
    refute @store.find(jid).item.key?("retry_count")
  end

  def test_a_thread_goes_on_later
    handle = work(timeout: 60)
    jid = ThreadJob.perform_async("polite")
    seen
    handle.stop
    await_counts(queue: 1, running: 0, retry: 0)
    refute @store.find(jid).item.key?("retry_count")
  end

  def test_how_far_a_process_is
    need_fork
    handle = work(processes: 1, timeout: 0.01)
    ProcessJob.perform_async(file, "progress")
    progress = wait_until { handle.worker.state["work"].first&.dig("progress") }
    assert_in_delta 0.25, progress
  end

  def test_in_a_ractor
    need_ractors
    TCPServer.open("127.0.0.1", 0) do |server|
      work(ractors: 1, middleware: Jobs::Middleware.new.add(Count.new))
      jid = RactorJob.perform_async(server.addr[1])
      assert_equal [:around, RactorJob, jid], seen
      assert_equal "false #{jid}", server.accept.read
      await_counts(queue: 0, running: 0)
    end
  end

  def test_a_failure_in_a_ractor
    need_ractors
    work(ractors: 1)
    RactorJob.set(retry: 0).perform_async(0, "fail")
    await_counts(dead: 1)
    assert_equal "in a Ractor", only(:dead)["error_message"]
  end
end
