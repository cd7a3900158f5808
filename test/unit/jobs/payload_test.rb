# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

class JobsPayloadTest < Raffia::TestCase
  Payload = Raffia::Jobs::Payload

  def test_ids_are_those_of_sidekiq
    assert_match(/\A\h{24}\z/, Payload.id)
    assert_equal(100, Array.new(100) { Payload.id }.uniq.size)
  end

  def test_what_is_dumped_can_be_loaded
    item = {"class" => "A", "args" => [1, 1.5, nil, true, "\u{1F40E}", {"a" => [{}]}], "jid" => "x"}
    assert_equal(item, Payload.load(Payload.dump(item)))
  end

  def test_what_json_cannot_say_is_refused
    error = assert_raises(Raffia::Jobs::BadArguments) do
      Payload.dump({"class" => "A", "args" => [Float::NAN]})
    end
    assert_match(/job A cannot be written as JSON/, error.message)
    assert_raises(Raffia::Jobs::BadArguments) { Payload.dump({"class" => "A", "args" => ["\xff"]}) }
    assert_raises(Raffia::Jobs::BadArguments) do
      Payload.dump({"class" => "A", "args" => 120.times.reduce([]) { |inner, _| [inner] }})
    end
  end

  def test_what_is_too_long_is_refused_by_name
    error = assert_raises(Raffia::Jobs::PayloadTooLarge) do
      Payload.dump({"class" => "A", "jid" => "j", "args" => ["x" * Payload::LIMIT]})
    end
    assert_match(/job j \(A\) has \d+ bytes, the limit is 16777216/, error.message)
  end

  def test_bytes_that_are_no_job_are_an_error_that_has_them
    ["", "{", "[1]", "1", "null", "\xff\xfe", "{\"a\":}", "\"x\"", "[" * 200,
      "{\"raffia\":1}"].each do |bytes|
      error = assert_raises(Raffia::Jobs::BadPayload, bytes.inspect) { Payload.load(bytes) }
      assert_equal(bytes, error.payload)
    end
  end

  def test_times_of_all_versions_are_read
    assert_in_delta(1_700_000_000.25, Payload.time(1_700_000_000.25))
    assert_in_delta(1_700_000_000.25, Payload.time(1_700_000_000_250))
    assert_in_delta(1_700_000_000.0, Payload.time(1_700_000_000))
    assert_in_delta(1_700_000_000.5, Payload.time("1700000000.5"))
    assert_nil(Payload.time("yesterday"))
    assert_nil(Payload.time(nil))
    assert_in_delta(Time.now.to_f, Payload.time(Payload.now), 60)
  end
end
