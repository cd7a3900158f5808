# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

class JobsRecurringTest < Raffia::TestCase
  class TickJob
    include Raffia::Job

    options queue: "ticks", priority: 3
    def perform(*) = nil
  end

  def setup
    super
    @store = Raffia::Jobs::Store.open("memory:")
    @schedule = Raffia::Jobs::Recurring::Schedule.new(Raffia::Jobs::Client.new(@store))
  end

  def teardown
    @store.close
    super
  end

  def add(name = "tick", spec = 10, **options)
    @schedule.add(Raffia::Jobs::Recurring::Entry.build(name, spec, TickJob, **options))
  end

  def tick(now, name = "tick") = @schedule.tick(@schedule[name], now)

  def enqueued = @store.entries(:queue, queue: "ticks").map { |entry| entry.item["raffia"]["tick"] }

  def test_it_begins_with_the_first_time_after_it_was_added
    add
    assert_in_delta(110.0, tick(101.0))
    assert_empty(enqueued)
    assert_in_delta(120.0, tick(110.0))
    assert_equal([110.0], enqueued)
    tick(119.0)
    assert_equal([110.0], enqueued, "no time counts twice")
  end

  def test_the_job_has_what_its_class_says
    add("tick", 10, args: [1, "two"])
    tick(101.0)
    tick(110.0)
    item = @store.entries(:queue, queue: "ticks").first.item
    assert_equal(["JobsRecurringTest::TickJob", [1, "two"], 3, "tick"],
      [item["class"], item["args"], item["raffia"]["priority"], item["raffia"]["recurring"]])
  end

  def test_missed_times_are_made_up_for_as_it_is_said
    {once: [150.0], all: [110.0, 120.0, 130.0, 140.0, 150.0],
     skip: [150.0]}.each do |policy, expected|
      add(policy.to_s, 10, catch_up: policy, queue: policy)
      tick(101.0, policy.to_s)
      tick(155.0, policy.to_s)
      assert_equal(expected, @store.entries(:queue, queue: policy.to_s)
        .map { |entry| entry.item["raffia"]["tick"] }, policy)
    end
    add("late", 1000, catch_up: :skip, queue: "late")
    tick(1.0, "late")
    assert_in_delta(3000.0, tick(2100.0, "late"))
    assert_empty(@store.entries(:queue, queue: "late"), "by more than a minute")
  end

  def test_of_two_processes_one_enqueues
    add
    tick(101.0)
    other = Raffia::Jobs::Recurring::Schedule.new(Raffia::Jobs::Client.new(@store))
    threads = [@schedule, other].map do |schedule|
      Thread.new { 50.times { |n| schedule.tick(schedule["tick"], 110.0 + n * 10) } }
    end
    threads.each(&:join)
    assert_equal(Array.new(50) { |n| 110.0 + n * 10 }, enqueued.sort)
  end

  def test_a_clock_that_is_put_back_enqueues_nothing_again
    add
    tick(101.0)
    tick(3710.0)
    tick(110.0)
    assert_equal([3710.0], enqueued)
  end

  # A worker with a wrong clock, or the store's own, may have left it there.
  def test_a_last_time_in_the_future_is_not_trusted
    add
    tick(101.0)
    tick(86_510.0)
    reported = []
    assert_in_delta(130.0, @schedule.tick(@schedule["tick"], 121.0) { |last| reported << last })
    assert_equal([86_510.0], reported)
    assert_in_delta(140.0, tick(131.0))
    assert_equal([86_510.0, 130.0], enqueued)
  end

  def test_the_store_s_clock_counts_and_may_be_put_right
    add
    ticker = Raffia::Jobs::Recurring::Ticker.new(@schedule, Logger.new(out = StringIO.new))
    ticker.call
    @store.define_singleton_method(:now) { super() + 86_400 }
    ticker.call
    assert_in_delta(Time.now.to_f + 86_400, @schedule.last("tick"), 60)
    @store.singleton_class.remove_method(:now)
    assert_operator(ticker.call, :<=, 10)
    assert_in_delta(Time.now.to_f, @schedule.last("tick"), 60)
    assert_match(/its last time is in the future/, out.string)
  end

  def test_rest_and_run
    add
    @schedule.pause("tick")
    assert_nil(tick(1000.0))
    jid = @schedule.run("tick")
    assert_equal(jid, @schedule.last_run("tick")["jid"])
    assert_equal(1, enqueued.size)
    @schedule.resume("tick")
    refute(@schedule.paused?("tick"))
    assert_operator(@schedule.last("tick"), :>, 1000.0, "what passed meanwhile is not made up for")
    assert_raises(Raffia::NotFound) { @schedule.run("tock") }
  end

  def test_what_stands_in_the_program_comes_and_goes_with_it
    add("data")
    build = ->(name, spec) {
      Raffia::Jobs::Recurring::Entry.build(name, spec, TickJob, source: :code)
    }
    @schedule.replace_code([build["a", 10], build["b", 10]])
    assert_equal(%w[a b data], @schedule.entries.map(&:name))
    tick(101.0, "a")
    @schedule.replace_code([build["a", 20]])
    assert_equal(%w[a data], @schedule.entries.map(&:name))
    assert_equal(20, @schedule["a"].spec)
    assert_operator(@schedule.last("a"), :>, 1000.0, "a new schedule has missed nothing")
    assert(@schedule.remove("data"))
    refute(@schedule.remove("data"))
  end

  def test_a_list
    list = Raffia::Jobs::Recurring::List.new
    list.at("0 9 * * *", TickJob, zone: "Europe/Berlin")
    list.every("5 minutes", TickJob, name: "often")
    assert_equal(["JobsRecurringTest:TickJob", "often"], list.entries.map(&:name))
    assert_equal(list.entries, list.entries
      .map { |entry| Raffia::Jobs::Recurring::Entry.load(entry.dump) })
    assert_match(/there are two/, assert_raises(Raffia::ConfigError) { list.at(10, TickJob) }
      .message)
    assert_raises(Raffia::ConfigError) { list.at("nonsense", TickJob, name: "x") }
    assert_raises(Raffia::ConfigError) { list.at(10, TickJob, name: "bad name") }
    assert_match(/String is no job/, assert_raises(Raffia::ConfigError) { list.at(10, String) }
      .message)
    assert_raises(Raffia::ConfigError) { list.at(10, TickJob, name: "y", catch_up: :sometimes) }
    assert_raises(Raffia::Jobs::BadArguments) { list.at(10, TickJob, name: "z", args: [:symbol]) }
  end

  def test_one_that_cannot_be_read_does_not_keep_the_others
    add
    @store.write("recurring:entry:broken", "{")
    @store.write("recurring:entry:strange", '{"name":"strange","spec":"x","job":"Y"}')
    assert_equal(["tick"], @schedule.entries.map(&:name))
    assert_operator(Raffia::Jobs::Recurring::Ticker.new(@schedule, Logger.new(IO::NULL)).call, :<=,
      10)
  end
end
