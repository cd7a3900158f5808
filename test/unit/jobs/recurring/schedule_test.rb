# frozen_string_literal: true

require "test_helper"
require "raffia/jobs"

# The schedule as a worker keeps it.
class RecurringScheduleTest < Raffia::TestCase
  Recurring = Raffia::Jobs::Recurring

  def setup
    super
    store = Raffia::Jobs::Store.open("memory:")
    @schedule = Recurring::Schedule.new(Raffia::Jobs::Client.new(store))
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
end
