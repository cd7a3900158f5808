# frozen_string_literal: true

require "support/jobs_case"

class JobsWorkerFailureTest < TestSupport::JobsCase
  SEEN = TestSupport::JobsCase::SEEN
  Jobs = Raffia::Jobs

  # Raises the error that its arguments name.
  class BadJob
    include Raffia::Job

    options backtrace: 3

    def perform(what = "error", text = "no luck")
      case what
      when "exit" then exit(3)
      when "abort" then abort
      when "stack" then perform(what, text)
      when "memory" then raise NoMemoryError
      when "cancel" then raise Raffia::Cancel, "of its own"
      when "signal" then raise Interrupt
      when "script" then raise NotImplementedError
      when "throw" then throw :nobody_catches
      when "bytes" then raise "\xFF\xFE bad"
      else raise text
      end
    end
  end

  class PickyJob
    include Raffia::Job

    options retry: 3
    retry_in do |count, error|
      {"never" => :discard, "dead" => :bury}.fetch(error.message) { 100 * (count + 1) }
    end
    on_exhausted { |item, error| SEEN << [:exhausted, item["jid"], error.message] }

    def perform(text) = raise(text)
  end

  # Takes its arguments apart.
  class ConsumingJob
    include Raffia::Job

    options retry: 1
    retry_in { |count, _, item| SEEN.push([count, item["args"], item["error_message"]]) && 0.01 }

    def perform(list, options)
      SEEN << [list.shift, options.delete("name")]
      list.unshift(nil)
      raise "after that"
    end
  end

  class OnceJob
    include Raffia::Job

    options retry: 0
    on_exhausted { raise "in the block" }

    def perform = raise("once")
  end

  class SlowJob
    include Raffia::Job

    options timeout: 0.05, retry: 0

    def perform
      SEEN << Raffia.deadline.limit
      sleep
    end
  end

  # Under the first lease alone: the worker gets another one, and does it again, at any time.
  class LateJob
    include Raffia::Job

    GATE = Thread::Queue.new

    def perform
      return if run.claim.lease.token > 1

      SEEN << run.claim.lease
      GATE.pop
      raise "late"
    end
  end

  def test_a_job_that_fails_is_tried_again_with_the_reason_in_it
    work
    before = Time.now.to_f
    BadJob.perform_async
    await_counts(retry: 1, running: 0)
    item = only(:retry)
    assert_equal ["RuntimeError", "no luck", 0, nil],
      item.values_at("error_class", "error_message", "retry_count", "retried_at")
    assert_in_delta before * 1000, item["failed_at"], 60_000
    lines = Worker::Backtrace.load(item["error_backtrace"])
    assert_equal 3, lines.size
    assert_match(/failure_test.rb/, lines.first)
    assert_operator @store.entries(:retry).first.at, :>=, before + 15
    assert_equal ["retry", "no luck"], logged("failed").first.values_at("then", "error")
  end

  def test_a_second_failure_counts
    work
    enqueue(BadJob, retry_count: 4, failed_at: 1)
    await_counts(retry: 1)
    item = only(:retry)
    assert_equal [5, 1], item.values_at("retry_count", "failed_at")
    assert_kind_of Integer, item["retried_at"]
    assert_operator @store.entries(:retry).first.at - Time.now.to_f, :>, 5**4
  end

  def test_when_it_has_been_tried_often_enough_it_is_dead
    work
    enqueue(BadJob, retry: 2, retry_count: 1)
    await_counts(dead: 1, retry: 0)
    assert_equal 2, only(:dead)["retry_count"]
  end

  def test_dead_ones_are_not_kept_where_nobody_wants_them
    work
    enqueue(BadJob, retry: 0, dead: false)
    enqueue(BadJob, retry: false)
    wait_until { logged("failed").size == 2 }
    await_counts(dead: 0, retry: 0, running: 0, queue: 0)
  end

  def test_for_a_time_instead_of_a_number
    work
    enqueue(BadJob, "error", "late", retry_for: 60, retry_count: 40,
      failed_at: ((Time.now.to_f - 120) * 1000).to_i)
    enqueue(BadJob, "error", "early", retry_for: 60, retry_count: 40, failed_at: Time.now.to_f)
    await_counts(dead: 1, retry: 1)
    assert_equal %w[late early], [only(:dead), only(:retry)].map { |item| item["error_message"] }
  end

  def test_a_class_says_itself_when
    work
    jids = %w[again never dead].to_h { |text| [text, PickyJob.perform_async(text)] }
    await_counts(retry: 1, dead: 1, running: 0, queue: 0)
    assert_equal [jids["again"], jids["dead"]], [only(:retry)["jid"], only(:dead)["jid"]]
    assert_in_delta Time.now.to_f + 100, @store.entries(:retry).first.at, 30
    assert_equal [[:exhausted, jids["dead"], "dead"], [:exhausted, jids["never"], "never"]].sort,
      [seen, seen].sort
  end

  def test_the_next_try_has_the_arguments_that_the_first_one_had
    work
    ConsumingJob.perform_async([1, 2], {"name" => "Ada"})
    assert_equal [[1, "Ada"], [0, [[1, 2], {"name" => "Ada"}], "after that"], [1, "Ada"]],
      Array.new(3) { seen }
    await_counts(dead: 1)
    assert_equal [[1, 2], {"name" => "Ada"}], only(:dead)["args"]
  end

  # Clients of other languages write such payloads to Redis.
  def test_what_a_payload_does_not_say_is_as_its_class_and_its_queue_have_it
    work(queues: ["mail"])
    [[BadJob, "1"], [OnceJob, "2"]].each do |job, jid|
      payload = JSON.generate({"class" => job.name, "args" => [], "jid" => jid})
      @store.enqueue([Jobs::Draft.new(jid: jid, queue: "mail", payload: payload, at: nil,
        extras: nil)])
    end
    await_counts(retry: 1, dead: 1)
    assert_equal [["1", "mail", true], ["2", "mail", 0]],
      [only(:retry), only(:dead)].map { |item| item.values_at("jid", "queue", "retry") }
  end

  def test_a_block_that_fails_changes_nothing
    work
    OnceJob.perform_async
    await_counts(dead: 1)
    wait_until { logged("on_exhausted failed").any? }
  end

  %w[exit abort stack memory cancel signal script throw].each do |what|
    define_method(:"test_a_job_that_ends_by_#{what}_does_not_end_the_worker") do
      work
      enqueue(BadJob, what, retry: 0)
      await_counts(dead: 1, running: 0)
      NoteJob.perform_async(1)
      assert_equal [1], seen
    end
  end

  def test_messages_are_cut_and_made_text
    work
    enqueue(BadJob, "bytes", retry: 0)
    enqueue(BadJob, "error", "long" * 10_000, retry: 0)
    await_counts(dead: 2)
    messages = @store.entries(:dead).map { |entry| entry.item["error_message"] }.sort_by(&:size)
    assert_match(/ bad\z/, messages.first)
    assert_equal 10_000, messages.last.size
  end

  def test_a_class_that_nobody_has
    work
    enqueue("No::Such::Job")
    await_counts(retry: 1)
    item = only(:retry)
    assert_equal "Raffia::Jobs::UnknownJob", item["error_class"]
    assert_match(/there is no class No::Such::Job in this worker/, item["error_message"])
  end

  def test_a_class_that_is_no_job
    work
    enqueue("String", retry: 0)
    await_counts(dead: 1)
    assert_match(/String is no job/, only(:dead)["error_message"])
  end

  def test_what_cannot_be_read_is_dead_with_all_its_bytes
    work
    bytes = "{\"class\": \xFF nonsense".b
    @store.enqueue([Jobs::Draft.new(jid: "a" * 24, queue: "default", payload: bytes, at: nil,
      extras: nil)])
    await_counts(dead: 1, running: 0)
    item = only(:dead)
    assert_equal "Raffia::Jobs::BadPayload", item["error_class"]
    assert_equal bytes, item["raffia"]["bytes"].unpack1("m0")
  end

  # Its lease is over by then, so it is not ours to say what becomes of it.
  def test_a_failure_that_nobody_wants_to_hear_of
    handle = work
    jid = LateJob.perform_async
    lease = seen
    @store.resign(lease)
    LateJob::GATE << nil
    assert_equal [jid],
      wait_until(PATIENCE, -> { @out.string }) {
        logged("failure too late")
          .then { |lines| lines if lines.any? }
      }.map { |line| line["jid"] }
    assert_predicate handle, :running?
    assert_equal 0, @store.counts[:retry]
  end

  def test_the_wrong_arguments_are_a_failure
    work
    enqueue(OnceJob, 1, 2, retry: 0)
    await_counts(dead: 1)
    assert_equal "ArgumentError", only(:dead)["error_class"]
  end

  def test_a_run_has_no_more_time_than_its_class_says
    work
    SlowJob.perform_async
    assert_in_delta 0.05, seen
    await_counts(dead: 1)
    assert_equal "Raffia::TimeoutError", only(:dead)["error_class"]
  end

  def test_a_call_may_say_otherwise
    work
    SlowJob.set(timeout: 0.01).perform_async
    assert_in_delta 0.01, seen
    await_counts(dead: 1)
  end

  def test_a_place_that_there_is_not
    error = assert_raises(Raffia::ConfigError) { enqueue(NoteJob, raffia: {"on" => "moon"}) }
    assert_match(/raffia.on must be one of fibers, .* and is "moon"/, error.message)
  end
end
