# frozen_string_literal: true

require "test_helper"
require "raffia"

# Fibers wait for others to end when there is no memory for one more stack.
class SchedulerFiberLimitTest < Raffia::TestCase
  # Leaves memory for some hundreds of fibers.
  LIMITED = <<~RUBY
    require "raffia"
    $stderr.reopen($stdout)
    $VERBOSE = false
    scheduler = Raffia::Scheduler.new
    Fiber.set_scheduler(scheduler)
    pages = File.read("/proc/self/statm")[/\\d+/].to_i
    Process.setrlimit(:AS, pages * Etc.sysconf(Etc::SC_PAGESIZE) + 150_000_000)
  RUBY

  def setup
    need_cruby("stacks of fibers")
    skip "/proc: of Linux" unless File.exist?("/proc/self/statm")
    scheduler = Raffia::Scheduler.new
    portable = scheduler.is_a?(Raffia::Scheduler::Portable)
    scheduler.close
    skip "the portable scheduler raises what Ruby raises" if portable
  end

  def lines_of(program) = output_of("#{LIMITED}\n#{program}").lines(chomp: true)

  def test_more_wait_until_others_have_ended
    warning, *rest = lines_of(<<~RUBY)
      ended = 0
      Fiber.schedule { 2000.times { scheduler.launch { sleep(0.01) && ended += 1 } } }
      scheduler.run
      p ended, scheduler.stats[:parked]
    RUBY
    assert_match(
      /\Araffia: \d+ fibers are alive and the limit of the address space \(ulimit -v\) is/, warning
    )
    assert_equal %w[2000 0], rest, "it is said once"
  end

  def test_fibers_with_options_wait_too
    _, *rest = lines_of(<<~RUBY)
      ended = 0
      Fiber.schedule { 600.times { Fiber.schedule(storage: {a: 1}) { sleep(0.01) && ended += 1 } } }
      scheduler.run
      p ended
    RUBY
    assert_equal %w[600], rest
  end

  def test_another_error_is_none_of_that
    out = lines_of(<<~RUBY)
      scheduler.send(:await_fiber_slot, FiberError.new("dead fiber called")) rescue p $!.message
    RUBY
    assert_equal ['"dead fiber called"'], out
  end
end
