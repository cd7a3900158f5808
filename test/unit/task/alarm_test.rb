# frozen_string_literal: true

require "test_helper"
require "raffia"

# The timer of deadlines, where it cannot have its fiber. The rest is in
# test/contract/task/deadline_test.rb.
class AlarmTest < Raffia::TestCase
  def test_where_no_fiber_can_be_had_it_says_so_and_keeps_nothing
    alarm = Raffia::Alarm.new(nil)
    late = -> { flunk("nobody waits for this") }
    assert_match(/scheduler/i,
      assert_raises(RuntimeError) {
        alarm.watch(Raffia::Clock.now, late) { flunk("it was not begun") }
      }.message)
    assert_raises(RuntimeError) { alarm.arm(Raffia::Clock.now, late) }
    refute_predicate alarm, :running?
    assert_equal 0, alarm.instance_variable_get(:@wanted)
  end
end
