# frozen_string_literal: true

require "test_helper"
require "raffia/pool"

# 10,000 jobs, and another process kills a worker in the middle of them: the second half is not
# begun before.
class PoolKillTest < Raffia::TestCase
  JOBS = 10_000

  def children = TestSupport::Holdings.children.keys.map { |_, pid| pid.to_i }

  # Kills one child of this process as soon as the jobs are well under way.
  def killer(signal, underway)
    Thread.new do
      underway.call
      victim = children.first
      ::Process.kill(signal, victim) if victim
      killed.value = 1
      victim
    end
  end

  # Shared with the workers: how many jobs they have done.
  def counter = @counter ||= Raffia::Process::SharedCounter.new

  # Shared too: whether one of them has been killed.
  def killed = @killed ||= Raffia::Process::SharedCounter.new

  def setup = [counter, killed].each { |cell| cell.value = 0 }

  def teardown = [counter, killed].each(&:free)

  def work
    counter, killed = self.counter, self.killed
    lambda do |n|
      counter.value = n
      sleep(0.0002)
      sleep(0.001) until n < JOBS / 2 || killed.value == 1
      n
    end
  end

  def test_a_call
    assert_no_leaks do
      assassin = killer(:KILL, -> { wait_until { counter.value > JOBS / 20 } })
      error = assert_raises(Raffia::WorkerDied) do
        Raffia.each((0...JOBS).to_a, on: :processes, workers: 2, &work)
      end
      assert_equal([assassin.value, "SIGKILL", error.index], [error.pid, error.signal, error.item])
    end
  end

  def test_a_call_over_a_stream
    assert_no_leaks do
      assassin = killer(:KILL, -> { wait_until { counter.value > JOBS / 20 } })
      error = assert_raises(Raffia::WorkerDied) do
        Raffia.each((0...JOBS).each, on: :processes, workers: 2, &work)
      end
      assert_equal([assassin.value, "SIGKILL", error.index], [error.pid, error.signal, error.item])
    end
  end

  def test_a_standing_pool_loses_one_chunk_and_goes_on
    assert_no_leaks do
      pool = Raffia::Pool.new(on: :processes, workers: 2, &work)
      assassin = killer(:KILL, -> { wait_until { counter.value > JOBS / 20 } })
      futures = Array.new(JOBS) { |n| pool.submit(n) }
      futures.each { |future| assert(future.wait(60), "#{future.inspect} hangs") }
      lost = futures.select { |future| future.status == :failed }
      refute_empty(lost)
      lost.each do |future|
        assert_equal([assassin.value, "SIGKILL"], [future.error.pid, future.error.signal])
      end
      done = futures.each_with_index.reject { |future, _| future.status == :failed }
      assert_equal(done.map(&:last), done.map { |future, _| future.value })
      assert_equal(JOBS, futures.size)
    ensure
      pool&.shutdown
    end
  end

  # Where no worker is a process there is none to kill; all the same 10,000 jobs are done, and
  # nothing is left.
  def test_the_other_kinds
    kinds = %i[inline threads] + (Raffia.respond_to?(:run) ? [:fibers] : []) +
      (Raffia::Executor::Ractors::PortableBlock.available? ? [:ractors] : [])
    kinds.each do |on|
      assert_no_leaks do
        pool = Raffia::Pool.new(on: on) { |n| n + 1 }
        assert_equal((1..JOBS).to_a, Array.new(JOBS) { |n| pool.submit(n) }.map(&:value),
          "on: #{on}")
      ensure
        pool&.shutdown
      end
    end
  end
end
