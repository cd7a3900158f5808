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
    cell = Raffia::Process::SharedCounter.new
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

# Each in a program of its own: whether a heap was warmed before is a fact about a process.
class ProcessWarmupTest < Raffia::TestCase
  def ask(body)
    script = "require 'raffia/process'\nWarmup = Raffia::Process::Warmup\n#{body}"
    output_of(script)
  end

  def test_the_first_time_pays_for_a_young_program
    assert_equal("[true, false]",
      ask("GC.disable; keep = Array.new(20_000) { |n| n.to_s }; p [Warmup.call, Warmup.call]")
        .chomp)
  end

  def test_a_warm_heap_is_left_alone
    assert_equal("[false, false]", ask("Process.warmup; p [Warmup.due?, Warmup.call]").chomp)
  end

  def test_later_only_a_heap_that_is_much_and_young
    assert_equal("[true, false, true, false]", ask(<<~RUBY).chomp)
      first = Warmup.call
      GC.disable
      few = Array.new(Warmup::WORTH / 2) { |n| n.to_s }
      second = Warmup.call
      many = Array.new(GC.stat(:heap_live_slots) + Warmup::WORTH) { |n| n.to_s }
      p [first, second, Warmup.call, Warmup.call]
    RUBY
  end
end
