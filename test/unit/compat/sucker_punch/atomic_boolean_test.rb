# frozen_string_literal: true

require "test_helper"
require "raffia/compat/sucker_punch/atomic_boolean"

# The flag of SuckerPunch that is true while its queues run.
class SuckerPunchFlagTest < Raffia::TestCase
  def test_a_change_is_noticed_once
    flag = SuckerPunch::AtomicBoolean.new(false)
    assert_equal [true, false, true, false],
      [flag.make_true, flag.make_true, flag.true?, flag.false?]
    assert_equal [true, false, false, true],
      [flag.make_false, flag.make_false, flag.value, flag.false?]
  end
end
