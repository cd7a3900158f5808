# frozen_string_literal: true

require "test_helper"
require "support/in_child"
require "raffia/process/boot_priority"

# Priorities of real processes. Root may raise them again, but not in every container.
class ProcessBootPriorityTest < Raffia::TestCase
  include TestSupport::InChild

  BootPriority = Raffia::Process::BootPriority
  NOBODY = 65_534

  def setup
    super
    @mine = BootPriority.current
  end

  def test_a_process_that_is_started_lower
    sleeper, usual = BootPriority.spawn { spawn("sleep", "60") }
    assert_equal @mine, BootPriority.current
    assert_equal usual || priority(sleeper), @mine
    return unless usual

    assert_operator priority(sleeper), :>, @mine
    BootPriority.new(usual).restore([sleeper])
    assert_equal @mine, priority(sleeper)
  ensure
    ::Process.kill(:KILL, sleeper)
    ::Process.wait(sleeper)
  end

  def test_all_threads_are_restored
    assert_includes ["true true", "not allowed"], (in_child do
      usual = BootPriority.lower or next "not allowed"
      Thread.new do
        lowered = BootPriority.current > usual.usual
        usual.restore([::Process.pid, 0]) # no process has the second one
        "#{lowered} #{BootPriority.current == usual.usual}"
      end.value
    end)
  end

  # They could not raise it again.
  def test_other_users_keep_theirs
    skip "only root can be somebody else" unless ::Process.uid.zero?
    assert_equal "nil 0", (in_child do
      ::Process.setrlimit(:NICE, 0)
      ::Process::UID.change_privilege(NOBODY)
      before = BootPriority.current
      "#{BootPriority.lower.inspect} #{BootPriority.current - before}"
    end)
  end

  def test_an_error_of_the_start_is_raised
    assert_raises(Errno::ENOENT) { BootPriority.spawn { spawn("/no/such/program") } }
  end

  private

  def priority(pid) = ::Process.getpriority(::Process::PRIO_PROCESS, pid)
end
