# frozen_string_literal: true

require "support/jobs_case"

# Payloads that no client of ours would write, in jobs that fail: writing down the failure must not
# fail in turn, because that would end the worker.
class JobsWorkerOddPayloadTest < TestSupport::JobsCase
  Jobs = Raffia::Jobs

  class RaisingJob
    include Raffia::Job

    def perform(*) = raise("no luck")
  end

  {"a text that is none" => {"args" => ["?"]}, "a count that is none" => {"retry_count" => "x"},
   "a negative number of lines" => {"backtrace" => -1},
   "a word for what only we know" => {"raffia" => "x"},
   "a list of it" => {"raffia" => [1]}}.each do |what, fields|
    define_method(:"test_#{what.tr(" ", "_")}") do
      work
      bytes = put(fields)
      await_counts(dead: 1, running: 0, queue: 0)
      assert_equal "(unreadable)", only(:dead)["class"]
      assert_equal bytes.b, only(:dead).dig("raffia", "bytes").unpack1("m")
      assert_goes_on
    end
  end

  {"class" => 7, "args" => {"a" => 1}, "raffia" => {"on" => 7},
   "a priority" => {"priority" => 2**50},
   "a limit" => {"limit" => {"key" => "k", "max" => 0}}, "a timeout" => {"timeout" => "x"},
   "a batch" => {"batch" => 7}}.each do |what, value|
    define_method(:"test_#{what.tr(" ", "_")}_that_makes_no_sense") do
      work
      name = (value.is_a?(Hash) && what != "args") ? "raffia" : what
      put({name => value})
      await_counts(dead: 1, running: 0, queue: 0, retry: 0, blocked: 0)
      assert_equal value, only(:dead)[name]
      assert_equal "Raffia::Jobs::BadPayload", only(:dead)["error_class"]
      assert_match(/ must be /, only(:dead)["error_message"])
      assert_goes_on
    end
  end

  def test_as_large_as_may_be
    work
    enqueue(RaisingJob, "x" * (Jobs::Payload::LIMIT - 300))
    await_counts(retry: 1, running: 0)
    assert_equal ["no luck", Jobs::Payload::LIMIT - 300],
      [only(:retry)["error_message"], only(:retry)["args"].first.size]
    assert_goes_on
  end

  def test_as_large_as_may_be_and_unreadable
    work
    store("x" * (Jobs::Payload::LIMIT - 300))
    await_counts(dead: 1, running: 0)
    assert_equal "Raffia::Jobs::BadPayload", only(:dead)["error_class"]
    assert_goes_on
  end

  def test_a_sign_of_life_tells_of_one_in_words_that_json_knows
    work(beat: 0.05, timeout: 0.01)
    put({"class" => StuckJob.name, "args" => ["?"]})
    assert_equal :began, seen.first
    wait_until { @store.processes.first["work"]&.any? }
    assert_includes JSON.generate(@store.processes), "\uFFFD"
  end

  private

  def put(fields)
    item = {"class" => RaisingJob.name, "args" => [], "jid" => Jobs::Payload.id,
            "queue" => "default", "retry" => true, **fields}
    store(JSON.generate(item).sub("?", "\xFF"))
  end

  def store(bytes)
    @store.enqueue([Jobs::Draft.new(jid: Jobs::Payload.id, queue: "default", payload: bytes,
      at: nil, extras: nil)])
    bytes
  end

  def assert_goes_on
    enqueue(NoteJob, 1)
    assert_equal [1], seen
  end
end
