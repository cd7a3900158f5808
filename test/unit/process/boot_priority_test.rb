# frozen_string_literal: true

require "test_helper"
require "raffia/process/boot_priority"

# Priorities of real processes. Root may raise them again, but not in every container.
class ProcessBootPriorityTest < Raffia::TestCase
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

  # They could not raise it again, unless the limit is 20 - nice (see getrlimit(2)).
  def test_other_users_need_a_limit
    skip "only root can be somebody else" unless ::Process.uid.zero?
    assert_equal [0, 5], [0, 20].map { |limit| Integer(lowered_by_nobody(limit)) }
  end

  def test_an_error_of_the_start_is_raised
    assert_raises(Errno::ENOENT) { BootPriority.spawn { spawn("/no/such/program") } }
  end

  private

  def lowered_by_nobody(limit)
    in_child do
      ::Process.setpriority(::Process::PRIO_PROCESS, 0, 0)
      ::Process.setrlimit(:NICE, limit)
      ::Process::UID.change_privilege(NOBODY)
      BootPriority.lower
      BootPriority.current
    end
  end

  def priority(pid) = ::Process.getpriority(::Process::PRIO_PROCESS, pid)

  # @return [String] the value of the block
  def in_child
    reader, writer = IO.pipe
    pid = fork do
      writer.write(yield)
    ensure
      writer.close
      exit!(0)
    end
    writer.close
    reader.read
  ensure
    ::Process.wait(pid)
    reader.close
  end
end
