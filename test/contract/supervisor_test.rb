# frozen_string_literal: true

require "test_helper"
require "support/supervised"

# Workers are started, replaced and ended, in real processes.
class SupervisorTest < Raffia::TestCase
  SERVE = "{ |seat| seat.ready!; seat.wait_for_stop; say('left', seat.index) }"

  def setup = need_fork

  def supervised(script, **spawn)
    assert_no_leaks do
      program = TestSupport::Supervised.new(script, **spawn)
      yield program
    ensure
      program&.close
    end
  end

  def gone?(pid)
    ::Process.kill(0, pid)
    File.read("/proc/#{pid}/stat").match?(/\) Z /)
  rescue Errno::ESRCH, Errno::ENOENT
    true
  end

  def test_workers_start_and_drain_on_term
    supervised("supervise(workers: 3) #{SERVE}") do |program|
      assert_equal([0, 1, 2], program.hear_all("ready", 3).map(&:first).sort)
      program.kill(:TERM)
      assert_equal([0, 1, 2], program.hear_all("left", 3).sort)
      assert_equal(0, program.wait)
    end
  end

  def test_a_dead_worker_is_replaced
    supervised("supervise(workers: 2) #{SERVE}") do |program|
      pids = program.hear_all("ready", 2).to_h
      program.kill(:KILL, pids[1])
      assert_equal([1, pids[1], "SIGKILL", nil], program.hear("exit"))
      index, pid = program.hear("ready")
      assert_equal(1, index)
      refute_equal(pids[1], pid)
      program.kill(:TERM)
      assert_equal(0, program.wait)
    end
  end

  def test_no_worker_outlives_a_supervisor_that_is_killed
    supervised("supervise(workers: 2) #{SERVE}") do |program|
      pids = program.hear_all("ready", 2).map(&:last)
      program.kill(:KILL)
      assert_equal("KILL", program.wait)
      wait_until { pids.all? { |pid| gone?(pid) } }
    end
  end
end
