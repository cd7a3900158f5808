# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

# The schedule as a worker keeps it.
class RecurringScheduleTest < Raffia::TestCase
  Recurring = Raffia::Jobs::Recurring

  def setup
    super
    @store = Raffia::Jobs::Store.open("memory:")
    @schedule = Recurring::Schedule.new(Raffia::Jobs::Client.new(@store))
    @schedule.add(Recurring::Entry.build("tick", "every minute", "TickJob"))
  end

  def test_an_entry_is_read_once
    assert_same(@schedule["tick"], @schedule.entries.first)
  end

  def test_a_changed_entry_is_read_again
    before = @schedule["tick"]
    other = Recurring::Schedule.new(@schedule.send(:client))
    other.add(Recurring::Entry.build("tick", "every 2 minutes", "TickJob"))
    assert_equal("every minute", before.spec)
    assert_equal("every 2 minutes", @schedule["tick"].spec)
  end

  def test_a_worker_that_reads_a_change_in_progress_catches_up_nothing_of_the_new_schedule
    @schedule.tick(@schedule["tick"], Time.now.to_f - 50)
    ticks_after_each_write
    @schedule.add(Recurring::Entry.build("tick", 1, "TickJob", catch_up: :all))
    assert_empty(@store.entries(:queue).select { |job| job.item["raffia"]["tick"] < @began })
  end

  # A worker that had read the entry before it was removed writes a last time after that.
  def test_an_entry_that_is_added_again_begins_anew
    entry = @schedule["tick"]
    @schedule.remove("tick")
    @schedule.tick(entry, Time.now.to_f - 600)
    @schedule.add(entry)
    @schedule.tick(entry)
    assert_equal(0, @store.counts[:queue])
    assert_in_delta(Time.now.to_f, @schedule.last("tick"), 60)
  end

  private

  # Another worker is faster than the next step of this one.
  def ticks_after_each_write
    other = Recurring::Schedule.new(Raffia::Jobs::Client.new(@store))
    @began = Time.now.to_f
    ticking = false
    @store.define_singleton_method(:write) do |*arguments, **options|
      super(*arguments, **options).tap do
        next if ticking

        ticking = true
        other.tick(other["tick"])
        ticking = false
      end
    end
  end
end
