# frozen_string_literal: true

require "test_helper"
require "raffia/process"

class ProcessMemoryTest < Raffia::TestCase
  def test_of_this_process
    skip "needs /proc" unless File.exist?("/proc/self/smaps_rollup")
    memory = Raffia::Process::Memory.of
    assert_operator(memory.pss, :>, 1_000_000)
    assert_operator(memory.rss, :>=, memory.pss)
    assert_operator(memory.private_dirty, :<=, memory.rss)
    assert_equal(memory.pss.class, Raffia::Process::Memory.total_pss([::Process.pid, 0]).class)
  end

  def test_of_a_process_that_is_gone
    gone = fork { exit! }
    ::Process.wait(gone)
    assert_nil(Raffia::Process::Memory.of(gone))
    assert_nil(Raffia::Process::Memory.total_pss([gone]))
  end
end

class ProcessCellTest < Raffia::TestCase
  def test_a_child_writes_and_the_parent_reads
    cell = Raffia::Process::Cell.new
    assert_equal(-1, cell.value)
    ::Process.wait(fork do
      cell.value = -5
      exit!
    end)
    assert_equal(-5, cell.value)
  ensure
    cell.free
  end
end

class ProcessWarmupTest < Raffia::TestCase
  def test_a_warm_heap_is_left_alone
    keep = Array.new(Raffia::Process::Warmup::WORTH * 2) { |n| n.to_s }
    ::Process.warmup
    refute(Raffia::Process::Warmup.call)
    refute_empty(keep)
  end

  def test_a_young_heap_is_warmed
    ::Process.warmup
    GC.disable
    keep = Array.new(GC.stat(:heap_live_slots) + Raffia::Process::Warmup::WORTH) { |n| "#{n} and" }
    assert_predicate(Raffia::Process::Warmup, :due?)
    assert(Raffia::Process::Warmup.call)
    refute_empty(keep)
  ensure
    GC.enable
  end
end
