# frozen_string_literal: true

require "test_helper"
require "raffia"
require "zlib"

# The parts of on: :auto: what they see of real work. How long it took is nowhere asserted.
class PoolAutoPartsTest < Raffia::TestCase
  Auto = Raffia::Pool::Auto

  # --- the probe

  # Measures the block as one item.
  def measured(sends_items: false)
    probe = Auto::Probe.new(enough: 0.0, sends_items: sends_items)
    Auto::ThreadTime.watch do
      probe.measure do
        [Raffia::Pool::Chunk.new(0, 1, items: [1]), Raffia::Executor::Reply.new([yield], nil, 0.0)]
      end
    end
    probe.conclude(9) { |refusal| {processes: refusal}.compact }
  end

  def test_waiting_is_seen
    work = measured { sleep(0.02) }
    assert_operator(work.wait, :>, work.cpu)
    assert_equal([1, 9, 1], [work.items, work.left, work.done])
  end

  def test_a_short_first_item_tells_nothing_however_late_it_was
    probe = Auto::Probe.new(enough: 0.3, sends_items: false)
    sleep(0.3)
    Auto::ThreadTime.watch do
      probe.measure do
        [Raffia::Pool::Chunk.new(0, 1, items: [1]), Raffia::Executor::Reply.new([1], nil, 0.0)]
      end
    end
    assert probe.measured?
    refute probe.due?
  end

  def test_c_code_without_the_lock_is_seen
    skip "nothing tells it without the extension" unless Auto::ThreadTime::WATCHES
    text = Random.new(1).bytes(500_000)
    work = measured { Zlib.deflate(text) }
    assert_operator(work.free, :>, work.ruby)
  end

  def test_ruby_code_is_seen
    work = measured { 200_000.times.sum }
    assert_operator(work.ruby, :>, work.free + work.wait)
  end

  def test_another_threads_work_is_no_waiting_of_ours
    skip "nothing tells it without the extension" unless Auto::ThreadTime::WATCHES
    busy = true
    other = Thread.new { nil while busy }
    work = measured { 3.times { Thread.pass && 100_000.times.sum } }
    assert_operator(work.wait, :<, work.held, "waiting for the lock is not waiting")
  ensure
    busy = false
    other.join
  end

  def test_what_it_sends_is_measured_or_refused
    assert_equal(Marshal.dump(["x" * 5_000]).bytesize, measured { "x" * 5_000 }.bytes)
    assert_operator(measured(sends_items: true) { "x" }.bytes, :>, measured { "x" }.bytes)
    assert_match(/a result cannot be dumped by Marshal \(.*IO/,
      measured { $stdout }.obstacles.fetch(:processes))
  end

  def test_what_is_very_large_is_not_dumped_to_its_end
    sample = Auto::Sample.of(Array.new(20) { "x" * 1_000_000 }, "a result")
    assert_operator(sample.bytes, :<, 20_000_000)
    assert_operator(sample.bytes, :>, Auto::Sample::ByteCounter::MOST)
  end

  def test_it_rests_after_a_conclusion_and_looks_again
    probe = Auto::Probe.new(enough: 0.0, sends_items: false)
    run = -> {
      probe.measure do
        [Raffia::Pool::Chunk.new(0, 1, items: [1]), Raffia::Executor::Reply.new([1], nil, 0.01)]
      end
    }
    assert_equal([false, false], [probe.measured?, probe.due?])
    run.call
    assert_predicate(probe, :due?)
    probe.rest
    refute_predicate(probe, :due?)
    wait_until { run.call && probe.due? }
    assert_operator(probe.done, :>, 1)
  end

  # --- what a block assigns to

  def effects(&block) = Auto::AssignmentCheck.of(block)

  def test_blocks_that_assign_to_what_is_outside
    total = 0
    assert_equal("a variable outside of it", effects { |n| total += n })
    assert_equal("a variable outside of it", effects { |n| [n].each { |m| total = m } })
    assert_equal("a variable outside of it", effects { |n| n.nil? || (total ||= n) })
    assert_equal("a variable outside of it",
      effects { Integer("x") rescue total = 1 }) # standard:disable Style/RescueModifier
    assert_equal("@seen", effects { |n| @seen = n })
    assert_equal("@seen", effects { |n| n.times { @seen ||= 1 } })
    assert_equal("$raffia_seen",
      effects { |n| $raffia_seen = n }) # standard:disable Style/GlobalVars
  end

  def test_blocks_that_do_not
    total = 1
    assert_nil(effects { |n| n + total })
    assert_nil(effects { |n|
      sum = n
      [1].each { |m| sum += m }
      sum
    })
    # standard:disable Lint/UselessAssignment, Lint/NestedMethodDefinition
    assert_nil(effects { |n| def self.local(x) = y = x })
    # standard:enable Lint/UselessAssignment, Lint/NestedMethodDefinition
    assert_nil(Auto::AssignmentCheck.of(:to_s.to_proc))
    assert_nil(Auto::AssignmentCheck.of(method(:puts).to_proc))
  end

  # --- obstacles

  def obstacles(refusal = nil, &block) = Auto::Obstacles.new(block || proc { 1 }, refusal).to_h

  def test_nothing_in_the_way_of_processes
    alone { refute_includes(obstacles.keys, :processes) }
  end

  def test_a_block_with_effects_stays_in_this_process
    seen = 0
    assert_match(/assigns to a variable outside of it/, obstacles { seen += 1 }.fetch(:processes))
  end

  def test_what_cannot_be_dumped_stays
    assert_equal("a result cannot", obstacles("a result cannot").fetch(:processes))
  end

  def test_a_thread_at_work_is_in_the_way_of_a_fork
    busy = true
    other = Thread.new { nil while busy }
    assert_match(/other threads? at work/, obstacles.fetch(:processes))
  ensure
    busy = false
    other&.join
  end

  def test_a_thread_that_waits_is_not
    gate = Thread::Queue.new
    other = Thread.new { gate.pop }
    wait_until { other.status == "sleep" }
    alone { refute_includes(obstacles.keys, :processes) }
  ensure
    gate << true
    other.join
  end

  def test_ractors_of_ruby_3_are_left_to_those_who_ask_for_them
    skip "they are no experiment any more" unless RUBY_VERSION < "4"
    assert_match(/ask for them/, obstacles.fetch(:ractors))
  end

  # A thread of a test before may be on its last steps.
  def alone
    wait_until { Thread.list.none? { |thread| thread.status == "run" && thread != Thread.current } }
    yield
  end

  # --- the whole

  # Moves to the given strategy after the first chunk, and notes its choices.
  def auto(on) = Auto.new(enough: 0.0) { |work, machine| Auto::Choice.of(work, machine, on: on) }

  def map(on, items, &block)
    choices = []
    [Raffia.map(items, on: auto(on), explain: choices.method(:<<), &block), choices]
  end

  # Waits like a library that knows no scheduler.
  def block_thread(seconds) = Fiber.new(blocking: true) { sleep(seconds) }.resume

  def test_fibers_that_turn_out_to_block_make_way_for_threads
    [0...40, (0...40).each].each do |items|
      results, choices = map(:fibers, items) { |n| block_thread(0.002) && n }
      assert_equal((0...40).to_a, results)
      assert_equal([:fibers, :threads], choices.map(&:on))
      assert_match(/they were tried/, choices.last.measurement.obstacles.fetch(:fibers))
    end
  end

  def test_the_same_under_a_scheduler
    results, choices = Raffia.run { map(:fibers, 0...40) { |n| block_thread(0.002) && n } }
    assert_equal((0...40).to_a, results)
    assert_equal([:fibers, :threads], choices.map(&:on))
  end

  def test_fibers_that_do_not_block_are_kept
    [0...40, (0...40).each].each do |items|
      # so long that a busy machine does not hide it
      results, choices = map(:fibers, items) { |n| sleep(0.1) && n }
      assert_equal([(0...40).to_a, [:fibers]], [results, choices.map(&:on)])
    end
  end

  def test_each_item_is_worked_on_once
    %i[inline threads fibers].each do |on|
      seen = Thread::Queue.new
      map(on, 1..500) { |n| seen << n }
      assert_equal((1..500).to_a, Array.new(seen.size) { seen.pop }.sort, "on #{on}")
    end
  end

  def test_it_goes_on_looking
    looks = 0
    auto = Auto.new(enough: 0.0) do |work, machine|
      looks += 1
      Auto::Choice.of(work, machine, on: (looks > 2) ? :threads : :inline)
    end
    choices = []
    Raffia.find_any(1.., on: auto, explain: choices.method(:<<)) { !choices.empty? }
    assert_equal(3, looks)
    assert_equal([:threads], choices.map(&:on))
  end

  def test_a_fold_without_an_initial_value_shows_its_work_too
    choices = []
    assert_equal(1275, Raffia.reduce(1..50, on: auto(:threads),
      explain: choices.method(:<<)) { |a, b| sleep(0.001) && a + b })
    assert_equal([2], choices.map { |choice| choice.measurement.done })
  end

  def test_the_reasons_are_told
    assert_output("", /\Araffia: inline, for all of 3 items.*\n  an item takes .*Ruby code/) do
      Raffia.map([1, 2, 3], on: :auto, explain: true) { |n| n }
    end
    assert_output("", "") { Raffia.map([1, 2, 3], on: :auto) { |n| n } }
    assert_output("", "") { Raffia.map([], on: :auto, explain: true) { |n| n } }
    choices = []
    Raffia.map([1, 2, 3], on: :auto, explain: ->(choice) { choices << choice }) { |n| n }
    assert_equal([[:inline, 1]], choices.map { |choice| [choice.on, choice.workers] })
  end

  def test_it_can_be_nested
    rows = Raffia.map(1..4, on: auto(:threads)) { |n| Raffia.map(1..n, on: :auto) { |m| m * n } }
    assert_equal([[1], [2, 4], [3, 6, 9], [4, 8, 12, 16]], rows)
  end
end
