# frozen_string_literal: true

require_relative "scheduler_case"

# Fibers that are used again, and what a wait costs.
module SchedulerFibersSuite
  Boom = Class.new(StandardError)

  # -- what Fiber.schedule returns

  def test_each_call_has_its_own_fiber
    on_scheduler do
      ended = Array.new(5) { Fiber.schedule { nil } }
      waiting = Array.new(5) { Fiber.schedule { sleep(0.001) } }
      assert_equal 10, (ended + waiting).uniq(&:object_id).size
      assert ended.none?(&:alive?)
      assert waiting.all?(&:alive?)
      assert_raises(FiberError) { ended.first.resume }
      assert_raises(FiberError) { ended.first.raise("too late") }
      settle { waiting.none?(&:alive?) }
    end
  end

  def test_a_fiber_that_was_handed_out_is_never_used_again
    on_scheduler do |scheduler|
      seen = []
      3.times do
        fiber = Fiber.schedule do
          seen << Fiber.current
          sleep(0)
        end
        assert_same fiber, seen.last
        settle { !fiber.alive? }
      end
      assert_equal 3, seen.uniq(&:object_id).size
    end
  end

  # The object that a fiber has stopped blocking on often refers to the fiber, as waiters do.
  def test_a_fiber_whose_wait_ran_out_is_collected_after_its_end
    on_scheduler do |scheduler|
      before = count_fibers
      ended = 0
      100.times do
        Fiber.schedule do
          scheduler.block([Fiber.current], 0)
          ended += 1
        end
      end
      settle { ended == 100 }
      assert_operator count_fibers - before, :<, 50 # some may be found on stacks
    end
  end

  def test_fibers_that_no_caller_has_are_recycled
    native do |scheduler|
      before = scheduler.stats
      50.times { Fiber.schedule { nil } }
      50.times do
        scheduler.launch { sleep(0) }
        sleep(0)
      end
      settle { scheduler.stats[:parked].zero? }
      after = scheduler.stats
      assert_equal 100, after[:started] - before[:started]
      assert_operator after[:fresh] - before[:fresh], :<=, 3
    end
  end

  def test_recycling_can_be_switched_off
    native(recycle: false) do |scheduler|
      before = scheduler.stats[:fresh]
      10.times { scheduler.launch { nil } }
      assert_equal [10, 0], [scheduler.stats[:fresh] - before, scheduler.stats[:idle]]
    end
  end

  # -- clean-up

  def test_nothing_is_left_of_the_last_block
    native do |scheduler|
      fiber = nil
      scheduler.launch do
        fiber = Fiber.current
        Thread.current[:local] = 1
        Fiber[:stored] = 2
        Fiber.current.instance_variable_set(:@mine, 3)
        sleep(0)
      end
      settle { scheduler.stats[:idle] == 1 }
      seen = nil
      scheduler.launch do
        seen = [Fiber.current, Thread.current[:local], Fiber[:stored],
          Fiber.current.instance_variables, Thread.current.keys]
      end
      assert_same fiber, seen.shift
      assert_equal [nil, nil, [], []], seen
    end
  end

  def test_storage_is_inherited_as_ever
    on_scheduler do
      seen = []
      Fiber.schedule { nil } # one to be used again
      2.times do |i|
        Fiber[:a] = i
        Fiber[:b] = "b" if i.zero?
        Fiber.schedule do
          seen << [Fiber[:a], Fiber[:b]]
          Fiber[:a] = :changed
          Fiber[:c] = :own
        end
      end
      assert_equal [[0, "b"], [1, "b"]], seen
      assert_equal [1, nil], [Fiber[:a], Fiber[:c]]
      Fiber.schedule(storage: {only: 1}) { seen << [Fiber[:only], Fiber[:a]] }
      assert_equal [1, nil], seen.last
    ensure
      Fiber[:a] = Fiber[:b] = nil
    end
  end

  def test_an_exception_ends_the_fiber_and_is_raised_by_run
    in_thread do
      with_scheduler do |scheduler|
        Fiber.schedule { sleep(0) && raise(Boom, "from a block") }
        error = assert_raises(Boom) { scheduler.run }
        assert_equal "from a block", error.message
        ran = false
        Fiber.schedule { ran = true }
        assert ran
      end
    end
  end

  def test_an_interrupt_meets_no_other_block
    native do |scheduler|
      # It is still under way when the block ends ...
      scheduler.launch { scheduler.fiber_interrupt(Fiber.current, Boom.new) }
      assert_calm(scheduler)
      # ... or waits for the block's next wait ...
      scheduler.launch do
        sleep(0)
        scheduler.fiber_interrupt(Fiber.current, Boom.new)
        scheduler.unblock(:x, Fiber.current)
      end
      sleep(0.001)
      assert_calm(scheduler)
      # ... or comes when the block has ended.
      kept = nil
      scheduler.launch { kept = Fiber.current }
      scheduler.fiber_interrupt(kept, Boom.new)
      scheduler.unblock(:x, kept)
      assert_calm(scheduler)
    end
  end

  def test_errors_of_fibers_in_a_fresh_one
    in_thread do
      with_scheduler do |scheduler|
        100.times do |i|
          options = i.even? ? {} : {storage: {i: i}}
          error = assert_raises(FiberError) do
            Fiber.schedule(**options) { raise FiberError, "of the block's own" }
          end
          assert_equal "of the block's own", error.message
        end
        assert_raises(ArgumentError, TypeError) { Fiber.schedule(storage: 1) { flunk } }
        assert_includes [nil, 0], scheduler.stats[:live]
      end
    end
  end

  # A program that keeps Fiber.current after the end of its block has a fiber that does not wait.
  def test_interrupting_an_idle_fiber_has_no_effect
    native do |scheduler|
      2.times do |i|
        kept = nil
        scheduler.launch { kept = Fiber.current }
        i.zero? ? kept.raise(Boom, "nobody hears this") : kept.kill
        refute_predicate kept, :alive?
        ran = []
        2.times { |n| scheduler.launch { ran << n } }
        assert_equal [0, 1], ran
      end
      assert_kind_of Integer, sleep(0.001)
    end
  end

  def test_many_at_once
    on_scheduler do
      left = 3000
      3.times { 1000.times { Fiber.schedule { sleep(rand * 0.01) && left -= 1 } } }
      settle { left.zero? }
    end
  end

  def test_compaction_keeps_all_fibers
    skip "no compaction on this Ruby" unless GC.respond_to?(:compact)
    on_scheduler do |scheduler|
      pipe do |reader, writer|
        got = []
        20.times { |i| Fiber.schedule { sleep(0.002) && got << i } }
        Fiber.schedule { got << reader.gets }
        Fiber.schedule { got << Thread::Queue.new.pop(timeout: 0.003) }
        GC.compact
        50.times { Fiber.schedule { Object.new } }
        GC.compact
        writer.puts "x"
        settle { got.size == 22 }
      end
    end
  end

  # -- what a wait costs

  def test_a_wait_allocates_nothing
    native do |scheduler|
      pipe do |reader, writer|
        writer << "x"
        assert_equal 0, allocations { scheduler.io_wait(reader, IO::READABLE, nil) }
        assert_equal 0, allocations { scheduler.io_wait(reader, IO::READABLE, 10) }
        assert_equal 0, allocations { scheduler.io_wait(reader, IO::READABLE, 0) }
        assert_equal 0, allocations { scheduler.kernel_sleep(0) }
        assert_equal 0, allocations { scheduler.block(:x, 0) }
        assert_equal 0, allocations { scheduler.yield }
      end
    end
  end

  def test_a_wait_for_time_makes_no_system_call
    native do |scheduler|
      others = Array.new(64) { Fiber.schedule { 50.times { sleep(0) } } }
      before = scheduler.stats
      settle { others.none?(&:alive?) }
      after = scheduler.stats
      waits = after[:switches] - before[:switches]
      assert_operator after[:syscalls] - before[:syscalls], :<, waits / 10
    end
  end

  private

  def count_fibers
    GC.start
    ObjectSpace.each_object(Fiber).count
  end

  # Only the compiled scheduler does this.
  def native(**options, &block)
    skip "the portable scheduler makes a fiber for each block" if backend == :select
    in_thread do
      Fiber.set_scheduler(scheduler = Raffia::Scheduler.new(backend: backend, **options))
      error = nil
      Fiber.schedule do
        block.call(scheduler)
      rescue Exception => error # rubocop:disable Lint/RescueException
        nil
      end
      scheduler.run
      raise error if error
    end
  end

  # Two blocks wait, and nothing comes.
  def assert_calm(scheduler)
    ended = []
    2.times do |i|
      scheduler.launch do
        scheduler.block(:y, 0.001) ? flunk("woken") : sleep(0)
        ended << i
      rescue Boom
        ended << :struck
      end
    end
    settle { ended.size == 2 }
    assert_equal [0, 1], ended.sort_by(&:to_s)
  end

  # Objects for one call, once everything is warm.
  def allocations
    20.times { yield }
    GC.disable
    before = GC.stat(:total_allocated_objects)
    100.times { yield }
    (GC.stat(:total_allocated_objects) - before) / 100
  ensure
    GC.enable
  end
end

SchedulerCase.run(SchedulerFibersSuite)
