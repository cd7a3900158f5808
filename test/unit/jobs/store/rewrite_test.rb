# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

class JobsRewriteTest < Raffia::TestCase
  Rewrite = Raffia::Jobs::Store::Rewrite

  def load(bytes) = Raffia::Jobs::Payload.load(bytes)

  def job(**more)
    JSON.generate({"class" => "A", "args" => [[], {}, 1.0], "jid" => "x",
      **more.transform_keys(&:to_s)})
  end

  def test_queued_sets_the_time_of_the_enqueue
    item = load(Rewrite.queued(job(retry_count: 2)))
    assert_in_delta(Time.now.to_f * 1000, item.delete("enqueued_at"), 60_000)
    assert_equal(load(job(retry_count: 2)), item)
  end

  def test_anew_forgets_failures_and_crashes
    dead = job(retry_count: 25, failed_at: 1, retried_at: 2, discarded_at: 3, error_class: "X",
      error_message: "y", error_backtrace: "z", raffia: {crashes: 3, on: "threads"})
    item = load(Rewrite.anew(dead))
    assert_equal({**load(job), "raffia" => {"on" => "threads"},
      "enqueued_at" => item["enqueued_at"]}, item)
    refute(load(Rewrite.anew(job)).key?("raffia"))
  end

  def test_crashes_are_counted
    first, count = Rewrite.crashed(job(raffia: {priority: 2}))
    assert_equal([1, {"priority" => 2, "crashes" => 1}], [count, load(first)["raffia"]])
    second, count = Rewrite.crashed(first)
    assert_equal([2, nil], [count, load(second)["error_class"]])
    third, count = Rewrite.crashed(second)
    assert_equal([3, "Raffia::WorkerDied"], [count, load(third)["error_class"]])
    assert_kind_of(Integer, load(third)["failed_at"])
    assert_equal([[], {}, 1.0], load(third)["args"])
  end

  def test_unreadable_payloads_stay_unchanged
    bytes = "no JSON"
    assert_same(bytes, Rewrite.queued(bytes))
    assert_same(bytes, Rewrite.anew(bytes))
    assert_equal([bytes, 1], Rewrite.crashed(bytes))
    assert_equal(1, Rewrite.crashed(job(raffia: {crashes: []})).last)
  end
end
