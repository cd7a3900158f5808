# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"

# The clocks of a world.
class SimulationVirtualClockTest < Raffia::TestCase
  Clock = Raffia::Simulation::VirtualClock

  def test_seconds_are_rounded_to_nanoseconds
    assert_equal([2_000_000_000, 1_500_000_000, 70_000_000], [2, 1.5, 0.07].map { nanoseconds(_1) })
    assert_equal([0, -1_000_000_000], [0.0, -1.0].map { nanoseconds(_1) })
    assert_operator(nanoseconds(Float::INFINITY), :>, 10 * 365 * 86_400 * Clock::SECOND)
  end

  def test_a_wait_that_is_shorter_than_a_nanosecond_takes_one
    assert_equal([1, 1], [4.5e-10, 1e-12.to_r].map { nanoseconds(_1) })
  end

  # Deadlines are often computed in floating point, whose steps are no nanoseconds.
  def test_a_wait_for_a_deadline_ends
    Raffia::Simulation.run do
      deadline = Process.clock_gettime(Process::CLOCK_MONOTONIC) + 0.1 / 3
      while (left = deadline - Process.clock_gettime(Process::CLOCK_MONOTONIC)).positive?
        sleep(left)
      end
      assert_operator(Process.clock_gettime(Process::CLOCK_MONOTONIC), :>=, deadline)
    end
  end

  # The server's time limits are kept in C.
  def test_code_in_c_reads_the_clock_of_the_run
    skip("without the extension nothing in C reads a clock") unless Raffia::Native.available?

    Raffia::Simulation.run do |sim|
      sim.sleep(2.5)
      assert_equal(now, native_now)
      sim.real { refute_equal(now, native_now) }
      assert_equal(now, native_now)
    end
    assert_in_delta(now, native_now, 10_000_000)
  end

  def test_other_threads_keep_the_real_clock_in_c
    skip("without the extension nothing in C reads a clock") unless Raffia::Native.available?

    Raffia::Simulation.run do |sim|
      other = sim.real { Thread.new { native_now }.value }
      refute_equal(native_now, other)
    end
  end

  private

  # Microseconds.
  def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :microsecond)

  def native_now = Raffia::Native::SharedCounters.new(1).begin(0)

  def nanoseconds(seconds) = Clock.nanoseconds(seconds)
end
