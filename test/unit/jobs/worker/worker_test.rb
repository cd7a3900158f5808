# frozen_string_literal: true

require "support/jobs_case"

class JobsWorkerTest < TestSupport::JobsCase
  SEEN = TestSupport::JobsCase::SEEN
  Jobs = Raffia::Jobs

  class SizeJob
    include Raffia::Job

    def perform
      SEEN << :in
      SEEN << [run.jid, jid, stopping?, Jobs::Worker::Run.current.equal?(run), run.on]
    end
  end

  class MiddlewareJob
    include Raffia::Job

    def perform = SEEN << :job
  end

  class Around
    def call(job, item)
      SEEN << [:before, job.class, item["class"]]
      yield
      SEEN << :after
    end
  end

  # Waits for others of its kind.
  class TogetherJob
    include Raffia::Job

    GATE = Thread::Queue.new

    def perform
      SEEN << :waits
      GATE.pop
    end
  end

  class TurnsJob
    include Raffia::Job
    include Raffia::Jobs::Iteration

    max_runtime 1e-9

    def build_enumerator(cursor:) = array_enumerator([:one, :two, :three], cursor: cursor)

    def each_iteration(step) = SEEN << step
  end

  class StorageJob
    include Raffia::Job

    def perform
      SEEN <<
        [Fiber[:jobs_test], Thread.current[:jobs_test],
          Fiber.current.instance_variable_get(:@jobs_test)]
      Fiber[:jobs_test] = Thread.current[:jobs_test] = jid
      Fiber.current.instance_variable_set(:@jobs_test, jid)
    end
  end

  def test_jobs_are_done_and_gone
    work
    NoteJob.perform_async(1, "two")
    assert_equal [1, "two"], seen
    await_counts(queue: 0, running: 0)
  end

  def test_a_job_knows_its_run
    work
    jid = SizeJob.perform_async
    assert_equal :in, seen
    assert_equal [jid, jid, false, true, :fibers], seen
    assert_nil Worker::Run.current
  end

  def test_what_is_due_later_comes_later
    NoteJob.perform_in(0.3, "late")
    NoteJob.perform_async("soon")
    work(concurrency: 1) # only now: where this process stands still meanwhile, both are due
    assert_equal [["soon"], ["late"]], [seen, seen]
  end

  def test_many_are_done_by_one_worker_each_once
    work
    NoteJob.perform_bulk(Array.new(500) { |number| [number] })
    assert_equal (0...500).to_a, Array.new(500) { seen.first }.sort
    await_counts(queue: 0, running: 0)
    assert_empty SEEN
  end

  def test_there_are_no_more_at_a_time_than_it_may_have
    handle = work(concurrency: 3)
    5.times { TogetherJob.perform_async }
    3.times { assert_equal :waits, seen }
    await_counts(queue: 2, running: 3)
    assert_equal 3, handle.worker.state["busy"]
    5.times { TogetherJob::GATE << nil }
    2.times { assert_equal :waits, seen }
    await_counts(queue: 0, running: 0)
  end

  def test_who_had_its_share_of_time_lets_those_that_wait_come_first
    TurnsJob.perform_async
    2.times { |number| NoteJob.perform_async(number) }
    work(concurrency: 1)
    assert_equal [:one, [0], [1], :two, :three], Array.new(5) { seen }
    await_counts(queue: 0, running: 0, retry: 0)
    assert_equal 3, logged("postponed").size
  end

  def test_middleware_is_around_it
    chain = Jobs::Middleware.new.add(Around.new)
    work(middleware: chain)
    MiddlewareJob.perform_async
    assert_equal [[:before, MiddlewareJob, MiddlewareJob.name], :job, :after], Array.new(3) { seen }
  end

  # They are claimed together, and done by one fiber.
  def test_a_job_finds_nothing_of_the_one_before_it
    3.times { StorageJob.perform_async }
    work
    3.times { assert_equal [nil, nil, nil], seen }
  end

  def test_queues_in_a_strict_order
    %w[low high].each { |queue| 3.times { NoteJob.set(queue: queue).perform_async(queue) } }
    work(queues: %w[high low], concurrency: 1)
    assert_equal %w[high high high low low low], Array.new(6) { seen.first }
  end

  def test_a_quiet_worker_begins_no_more
    handle = work
    handle.worker.quiet
    wait_until { logged("quiet").any? }
    NoteJob.perform_async(1)
    other = work
    assert_equal [1], seen
    assert_predicate handle.worker, :quiet?
    refute_predicate other.worker, :quiet?
  end

  def test_it_tells_who_it_is_and_what_it_does
    jid = StuckJob.perform_async
    handle = work(queues: {"default" => 1, "mail" => 3}, tag: "shop", labels: ["blue"], beat: 0.02)
    seen
    process = wait_until { @store.processes.first.then { |one| one if one && one["busy"] == 1 } }
    assert_equal ["shop", ["blue"], ::Process.pid, %w[default mail], 50],
      process.values_at("tag", "labels", "pid", "queues", "concurrency")
    assert_equal [[jid, "default", "fibers"]],
      process["work"].map { |run| run.values_at("jid", "queue", "on") }
    handle.worker.cancel(jid)
  end

  def test_it_counts_what_it_does
    handle = work
    NoteJob.perform_async(1)
    enqueue("NoSuchJob")
    await_counts(queue: 0, running: 0, retry: 1)
    handle.stop
    assert_equal [2, 1], @store.counts.values_at(:processed, :failed)
  end

  def test_it_tells_subscribers
    events = Thread::Queue.new
    subscription = Raffia.instrument.subscribe(:job_start, :job_done, :job_fail) do |event|
      events << event
    end
    work
    NoteJob.perform_async
    enqueue("NoSuchJob")
    emitted = Array.new(3) { events.pop(timeout: PATIENCE) }
    assert_equal %i[job_done job_fail job_start], emitted.map(&:name).sort
    assert_equal [NoteJob.name, NoteJob.name, "NoSuchJob"],
      emitted.sort_by(&:name).map { |event| event.data[:class] }.values_at(0, 2, 1)
  ensure
    subscription.cancel
  end

  def test_it_logs_what_was_done
    work
    jid = NoteJob.perform_async
    line = wait_until { logged("done").first }
    assert_equal [jid, NoteJob.name, "default", "fibers"],
      line.values_at("jid", "class", "queue", "on")
  end

  def test_orders_come_through_the_store
    handle = work(beat: 0.02)
    jid = StuckJob.perform_async
    seen
    identity = @store.processes.first["identity"]
    @store.order(identity, "cancel #{jid}")
    assert_equal [:left, nil], seen
    await_counts(running: 0, queue: 0, retry: 0, dead: 0)
    assert_equal [jid], logged("cancelled").map { |line| line["jid"] }
    @store.order(identity, "quiet")
    wait_until { handle.worker.quiet? }
    @store.order(identity, "stop")
    wait_until { !handle.running? }
  end

  def test_what_cannot_be_meant_is_refused
    assert_refused(/concurrency 0 makes no sense: use a whole number from 1 up/) do
      Worker.new(@store, concurrency: 0)
    end
    assert_refused(/timeout -1 makes no sense/) { Worker.new(@store, timeout: -1) }
    assert_refused(/"a b" cannot be the name of a queue/) { Worker.new(@store, queues: ["a b"]) }
    assert_refused(/"x" is no weight of a queue/) { Worker.new(@store, queues: ["a,x", "b"]) }
  end

  def test_in_process_with_nothing_else
    jid = Jobs.run_in_process(log: @log) do |handle|
      NoteJob.perform_async(7).tap { assert_equal [7], seen }
    end
    assert_match(/\A\h{24}\z/, jid)
  end
end
