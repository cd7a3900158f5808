# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

class JobsFieldsTest < Raffia::TestCase
  Fields = Raffia::Job::PayloadFields

  def own(args = [1], **options) = Fields.own(options, "A", args, 1000.0)

  def test_plain_ones_stand_as_they_are
    assert_equal({"queue" => "a", "retry" => false, "tags" => %w[x], "dead" => false},
      Fields.plain({queue: :a, retry: false, tags: %w[x], dead: false, priority: 3,
        backtrace: nil}))
    assert_equal({}, Fields.plain({}))
  end

  def test_without_any_of_ours_there_is_nothing
    assert_nil(own)
    assert_nil(own(queue: "a", retry: 1))
    assert_nil(own(priority: nil, unique: false))
  end

  def test_ours
    assert_equal({"priority" => 3, "timeout" => 5, "on" => "threads", "expires_at" => 1060.0},
      own(priority: 3, timeout: 5, on: :threads, expires_in: 60))
  end

  def test_unique_jobs_have_a_key_of_class_and_arguments
    one = own([1, {"a" => [2]}], unique: :done)["unique"]
    assert_equal({"until" => "done", "conflict" => "skip"}, one.except("key"))
    assert_match(/\AA:\h{32}\z/, one["key"])
    assert_equal(one, own([1, {"a" => [2]}], unique: :done)["unique"])
    refute_equal(one["key"], own([1, {"a" => [3]}], unique: :done)["unique"]["key"])
    refute_equal(one["key"],
      Fields.own({unique: :done}, "B", [1, {"a" => [2]}], 0)["unique"]["key"])
    assert_equal({"until" => "window", "for" => 60, "conflict" => "replace"},
      own(unique: :window, unique_for: 60, on_conflict: :replace)["unique"].except("key"))
  end

  def test_limits_have_a_key_of_the_class_and_what_is_said
    assert_equal({"limit" => {"key" => "A", "max" => 2}}, own(limit: 2))
    assert_equal({"limit" => {"key" => "A:x", "max" => 2}}, own(limit: 2, limit_key: "x"))
    assert_equal({"limit" => {"key" => "A:7", "max" => 2}},
      own([7, 8], limit: 2, limit_key: ->(id, _) { id }))
    assert_nil(own(limit_key: "x"))
  end
end
