# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"
require "fugit"

class JobsRecurringTimesTest < Raffia::TestCase
  # @return [Array<String>] the next times, in UTC
  def following(spec, zone, after, count = 3)
    times = Raffia::Jobs::Recurring::Recurrence.new(spec, zone: zone)
    at = Time.new(after).to_f
    Array.new(count) { Time.at(at = times.next(at)).utc.strftime("%m-%d %H:%M:%S") }
  end

  def test_cron_and_words
    assert_equal(["03-02 09:00:00", "03-03 09:00:00", "03-04 09:00:00"],
      following("0 9 * * 1-5", "UTC", "2026-02-28 10:00:00Z"))
    assert_equal(["02-28 17:00:00", "03-01 17:00:00", "03-02 17:00:00"],
      following("every day at noon", "America/New_York", "2026-02-28 10:00:00Z"))
    assert_equal(["02-28 08:00:00"], following("0 9 * * * Europe/Berlin", nil,
      "2026-02-28 05:00:00Z", 1), "a zone within the words")
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
    assert_equal(["03-29 01:00:00", "03-30 00:30:00", "03-31 00:30:00"],
      following("30 2 * * *", "Europe/Berlin", "2026-03-28 12:00:00Z"))
    assert_equal(["03-29 01:00:00", "03-30 01:00:00"],
      following("0 3 * * *", "Europe/Berlin", "2026-03-28 12:00:00Z", 2), "which exists")
    assert_equal(["03-30 00:30:00"], following("30 2 * * 1", "Europe/Berlin",
      "2026-03-28 12:00:00Z", 1), "the day is another one")
  end

  # 2026-10-25, 02:00 to 03:00 is there twice in Berlin.
  def test_what_is_there_twice_happens_once
    assert_equal(["10-25 00:30:00", "10-26 01:30:00"],
      following("30 2 * * *", "Europe/Berlin", "2026-10-24 12:00:00Z", 2))
  end

  def test_what_goes_on_at_any_hour_goes_on_evenly
    assert_equal(["10-25 00:30:00", "10-25 01:00:00", "10-25 01:30:00"],
      following("*/30 * * * *", "Europe/Berlin", "2026-10-25 00:00:00Z"))
    assert_equal(["03-29 00:30:00", "03-29 01:30:00"],
      following("30 * * * *", "Europe/Berlin", "2026-03-29 00:00:00Z", 2))
  end

  # Clocks are put back by an hour at 01:00 UTC in Berlin, by half an hour at 15:00 UTC on Lord Howe
  # Island.
  def test_no_hour_is_left_out_when_clocks_are_put_back
    hours = %w[00:00:00 01:00:00 02:00:00 03:00:00].map { |time| "10-25 #{time}" }
    ["0 * * * *", "0 */1 * * *", "0 0-23 * * *", "every hour"].each do |spec|
      assert_equal(hours, following(spec, "Europe/Berlin", "2026-10-24 23:00:00Z", 4), spec)
    end
    assert_equal(["10-25 00:05:00", "10-25 01:05:00", "10-25 02:05:00"],
      following("5 * * * *", "Europe/Berlin", "2026-10-24 23:05:00Z"))
    assert_equal(["04-04 14:45:00", "04-04 15:15:00", "04-04 16:15:00"],
      following("45 * * * *", "Australia/Lord_Howe", "2026-04-04 14:00:00Z"))
    assert_equal(["10-25 00:00:30", "10-25 01:00:30"],
      following("30 0 * * * *", "Europe/Berlin", "2026-10-24 23:30:00Z", 2))
  end

  # Each minute of the day of the change is asked whether it matches.
  def test_what_goes_on_at_any_hour_has_each_time_that_matches
    from = Time.utc(2026, 10, 24, 12).to_i
    to = Time.utc(2026, 10, 25, 12).to_i
    zone = EtOrbi.get_tzone("Europe/Berlin")
    ["0 * * * *", "*/7 * * * *", "59 * * * *", "0,30 * * * 0", "0 * 25 10 *"].each do |spec|
      cron = Fugit.parse_cron("#{spec} Europe/Berlin")
      expected = (from + 60..to).step(60).select { |at| cron.match?(EtOrbi::EoTime.new(at, zone)) }
      assert_equal(expected, Raffia::Jobs::Recurring::Recurrence.new(spec, zone: "Europe/Berlin")
        .between(from.to_f, to.to_f).map(&:to_i), spec)
    end
  end

  def test_an_empty_schedule_is_none
    ["", " ", nil, "Europe/Berlin", " UTC"].each do |spec|
      assert_match(/is no schedule \(it is empty/,
        assert_raises(Raffia::ConfigError) {
          Raffia::Jobs::Recurring::Recurrence.new(spec, zone: "UTC")
        }
          .message, spec.inspect)
      assert_raises(Raffia::ConfigError) { Raffia::Jobs::Recurring::Recurrence.new(spec) }
    end
  end

  def test_between
    times = Raffia::Jobs::Recurring::Recurrence.new(10)
    assert_equal([20.0, 30.0, 40.0], times.between(15.0, 40.0))
    assert_equal([], times.between(40.0, 41.0))
    assert_equal([30.0, 40.0], times.between(0.0, 40.0, limit: 2))
    assert_equal([86_380.0, 86_390.0, 86_400.0], times.between(0.0, 86_400.0, limit: 3))
    assert_equal(8640, times.between(0.0, 86_400.0, limit: 9000).size)
  end

  # A worker asks every 15 s, and the last answer is kept. Clocks change at 01:00 UTC.
  def test_the_next_time_is_the_same_until_it_has_come
    [[3, 28], [10, 24]].each do |month, day|
      start = Time.utc(2026, month, day, 22).to_i
      ["30 2 * * *", "10 * * * *", "*/20 2 * * *"].each do |spec|
        times = Raffia::Jobs::Recurring::Recurrence.new(spec, zone: "Europe/Berlin")
        (start...start + 6 * 3600).step(1500).to_a.shuffle(random: Random.new(1)).each do |at|
          fresh = Raffia::Jobs::Recurring::Recurrence.new(spec, zone: "Europe/Berlin")
          assert_equal(fresh.next(at.to_f), times.next(at.to_f), "#{spec} after #{Time.at(at).utc}")
        end
      end
    end
  end

  # One by one from the beginning, that would take an hour, in which the worker does nothing else.
  def test_the_last_one_of_half_a_century
    times = Raffia::Jobs::Recurring::Recurrence.new("* * * * *", zone: "UTC")
    assert_equal([1_800_000_000.0], times.between(0.0, 1_800_000_001.0, limit: 1))
  end

  def test_what_makes_no_sense
    {"garbage" => /"garbage" is no schedule.*use one such as/,
     "every 0.5 seconds" => /a second at least/,
     "61 * * * *" => /no schedule/}.each do |spec, message|
      assert_match(message,
        assert_raises(Raffia::ConfigError) { Raffia::Jobs::Recurring::Recurrence.new(spec) }
          .message)
    end
    error = assert_raises(Raffia::ConfigError) do
      Raffia::Jobs::Recurring::Recurrence.new("0 9 * * *", zone: "Europe/Bln")
    end
    assert_match(/no time zone of that name: Europe\/Bln/, error.message)
  end
end
