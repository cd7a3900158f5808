# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

class JobsRecurringTimesTest < Raffia::TestCase
  # @return [Array<String>] the next times, in UTC
  def following(spec, zone, after, count = 3)
    times = Raffia::Jobs::Recurring::Times.new(spec, zone: zone)
    at = Time.new(after).to_f
    Array.new(count) { Time.at(at = times.next(at)).utc.strftime("%m-%d %H:%M:%S") }
  end

  def test_cron_and_words
    assert_equal(["03-02 09:00:00", "03-03 09:00:00", "03-04 09:00:00"], following("0 9 * * 1-5", "UTC", "2026-02-28 10:00:00Z"))
    assert_equal(["02-28 17:00:00", "03-01 17:00:00", "03-02 17:00:00"], following("every day at noon", "America/New_York", "2026-02-28 10:00:00Z"))
    assert_equal(["02-28 08:00:00"], following("0 9 * * * Europe/Berlin", nil, "2026-02-28 05:00:00Z", 1), "a zone within the words")
  end

  def test_intervals_are_counted_from_1970
    expected = ["02-28 10:01:30", "02-28 10:03:00", "02-28 10:04:30"]
    assert_equal(expected, following("every 90 seconds", nil, "2026-02-28 10:00:00Z"))
    assert_equal(expected, following(90, nil, "2026-02-28 10:00:10Z"))
    assert_equal(["02-28 12:00:00"], following("every 2h", nil, "2026-02-28 10:00:00Z", 1))
    assert_equal(["02-28 10:05:00"], following("every 5 minutes", nil, "2026-02-28 10:00:00Z", 1))
  end

  # 2026-03-29, 02:00 to 03:00 does not exist in Berlin.
  def test_what_the_clocks_leave_out_happens_right_after
    assert_equal(["03-29 01:00:00", "03-30 00:30:00", "03-31 00:30:00"], following("30 2 * * *", "Europe/Berlin", "2026-03-28 12:00:00Z"))
    assert_equal(["03-29 01:00:00", "03-30 01:00:00"], following("0 3 * * *", "Europe/Berlin", "2026-03-28 12:00:00Z", 2), "which exists")
    assert_equal(["03-30 00:30:00"], following("30 2 * * 1", "Europe/Berlin", "2026-03-28 12:00:00Z", 1), "the day is another one")
  end

  # 2026-10-25, 02:00 to 03:00 is there twice in Berlin.
  def test_what_is_there_twice_happens_once
    assert_equal(["10-25 00:30:00", "10-26 01:30:00"], following("30 2 * * *", "Europe/Berlin", "2026-10-24 12:00:00Z", 2))
  end

  def test_what_goes_on_at_any_hour_goes_on_evenly
    assert_equal(["10-25 00:30:00", "10-25 01:00:00", "10-25 01:30:00"], following("*/30 * * * *", "Europe/Berlin", "2026-10-25 00:00:00Z"))
    assert_equal(["03-29 00:30:00", "03-29 01:30:00"], following("30 * * * *", "Europe/Berlin", "2026-03-29 00:00:00Z", 2))
  end

  def test_between
    times = Raffia::Jobs::Recurring::Times.new(10)
    assert_equal([20.0, 30.0, 40.0], times.between(15.0, 40.0))
    assert_equal([], times.between(40.0, 41.0))
    assert_equal([30.0, 40.0], times.between(0.0, 40.0, limit: 2))
    assert_equal([86_380.0, 86_390.0, 86_400.0], times.between(0.0, 86_400.0, limit: 3))
    assert_equal(8640, times.between(0.0, 86_400.0, limit: 9000).size)
  end

  # One by one from the beginning, that would take an hour, in which the worker does nothing else.
  def test_the_last_one_of_half_a_century
    times = Raffia::Jobs::Recurring::Times.new("* * * * *", zone: "UTC")
    assert_equal([1_800_000_000.0], times.between(0.0, 1_800_000_001.0, limit: 1))
  end

  def test_what_makes_no_sense
    {"garbage" => /"garbage" is no schedule.*use one such as/, "every 0.5 seconds" => /a second at least/, "61 * * * *" => /no schedule/}.each do |spec, message|
      assert_match(message, assert_raises(Raffia::ConfigError) { Raffia::Jobs::Recurring::Times.new(spec) }.message)
    end
    error = assert_raises(Raffia::ConfigError) { Raffia::Jobs::Recurring::Times.new("0 9 * * *", zone: "Europe/Bln") }
    assert_match(/no time zone of that name: Europe\/Bln/, error.message)
  end
end
