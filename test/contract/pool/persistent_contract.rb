# frozen_string_literal: true

require "test_helper"
require "raffia"
require "timeout"
require_relative "future_contract"

# The stdlib's own timer thread starts with the first timeout and stays: not a leak of whatever test
# comes first.
Timeout.timeout(1) {}

# The promises of Raffia::Pool on every strategy. The blocks of pools capture nothing, so that they
# can go to Ractors too.
module PoolPersistentContract
  include PoolFutureContract

  # Each test's pool is terminated, and nothing may be left of it.
  def with_pool(workers: 2, **options, &block)
    work = options.delete(:work)
    assert_no_leaks do
      pool = Raffia::Pool.new(on: strategy, workers: workers, **options, &work)
      block.call(pool)
    ensure
      pool&.terminate
    end
  end

  def double = {work: proc { |n| n * 2 }}

  def fussy
    {work: proc { |n| (n == 7) ? raise(ArgumentError, "not seven") : n }}
  end

  def sleepy = {work: proc { |seconds| sleep(seconds) && seconds }}

  # Work that is busy until a file exists: in any process, thread or Ractor.
  def gated = {work: proc { |path| (sleep(0.001) until File.exist?(path)) || path }}

  # @yieldparam gate [String] a file that is not there yet
  # @yieldparam open [String] one that is
  def with_gate
    Dir.mktmpdir { |folder| yield File.join(folder, "gate").freeze, folder.freeze }
  end

  def test_what_is_submitted_is_done
    with_pool(**double) do |pool|
      future = pool.submit(21)
      assert_equal([42, 42, true, :done], [future.value, future.value, future.done?, future.status])
      assert_equal((1..300).map { |n| n * 2 }, (1..300).map { |n| pool.submit(n) }.map(&:value))
    end
  end

  def test_map_keeps_order
    with_pool(**double) { |pool| assert_equal((1..500).map { |n| n * 2 }, pool.map(1..500)) }
  end

  def test_several_arguments_and_none
    with_pool(work: proc { |*all| all }) do |pool|
      assert_equal([1, 2], pool.submit(1, 2).value)
      assert_equal([], pool.submit.value)
      assert_equal([[1, 2]], pool.submit([1, 2]).value)
    end
  end

  def test_an_error_is_the_futures_alone_and_names_its_item
    with_pool(**fussy) do |pool|
      futures = [6, 7, 8].map { |n| pool.submit(n) }
      error = assert_raises(ArgumentError) { futures[1].value }
      assert_equal(["not seven", 7, 1], [error.message, error.item, error.item_index])
      assert(error.backtrace.any? { |line| line.include?("fussy") }, "the block's line is missing")
      assert(error.backtrace.any? { |line| line.include?(name) },
        "the line of who asked is missing")
      assert_equal([6, 8], [futures[0].value, futures[2].value])
      assert_equal([:failed, "not seven"], [futures[1].status, futures[1].error.message])
    end
  end

  def test_map_raises_the_first_error
    with_pool(**fussy) do |pool|
      assert_equal(7, assert_raises(ArgumentError) { pool.map([1, 7, 2, 7]) }.item)
    end
  end

  def test_shutdown_finishes_what_there_is_and_takes_no_more
    with_pool(**double) do |pool|
      futures = (1..50).map { |n| pool.submit(n) }
      assert(pool.shutdown)
      assert(futures.all?(&:done?))
      assert_predicate(pool, :closed?)
      assert_match(/shut down/, assert_raises(Raffia::Closed) { pool.submit(1) }.message)
      assert(pool.shutdown)
    end
  end

  def test_terminate_cancels_what_waits_and_stops_what_runs
    with_pool(workers: 1, **sleepy) do |pool|
      next if strategy == :inline

      futures = [2, 2, 2].map { |seconds| pool.submit(seconds) }
      wait_until { futures.first.status == :running }
      pool.terminate
      futures.each do |future|
        assert_equal(:pool_terminated, assert_raises(Raffia::Cancelled) { future.value }.reason)
      end
      assert_equal([:cancelled], futures.map(&:status).uniq)
    end
  end

  def test_value_with_a_timeout
    with_pool(**sleepy) do |pool|
      next if strategy == :inline

      future = pool.submit(0.3)
      assert_equal(0.01, assert_raises(Raffia::TimeoutError) { future.value(0.01) }.seconds)
      assert_nil(future.wait(0))
      assert_equal(0.3, future.value(PoolPersistentContract::LONG))
    end
  end

  LONG = 60

  def test_what_has_not_begun_can_be_cancelled
    with_busy_pool(queue: 2) do |_, busy, waiting, gate|
      assert_equal(:waiting, waiting.cancel(:changed_my_mind))
      refute(waiting.cancel)
      assert_equal(:changed_my_mind, assert_raises(Raffia::Cancelled) { waiting.value }.reason)
      FileUtils.touch(gate)
      assert_equal(gate, busy.value)
    end
  end

  def test_a_full_queue_makes_submit_wait
    with_pool(workers: 1, queue: 2, **sleepy) do |pool|
      next if strategy == :inline

      most = 0
      futures = Array.new(12) { pool.submit(0.002).tap { most = [most, pool.stats[:waiting]].max } }
      assert_operator(most, :<=, 2)
      futures.each(&:value)
    end
  end

  def test_a_full_queue_refuses_if_asked_to
    with_busy_pool(overflow: :reject) do |pool, running, waiting, gate, open|
      error = assert_raises(Raffia::Full) { pool.submit(open) }
      assert_equal(1, error.limit)
      assert_match(/1 pieces of work wait already.*overflow: :block/, error.message)
      FileUtils.touch(gate)
      assert_equal([gate, open], [running.value, waiting.value])
      assert_equal([3, 2, 0, 1], pool.stats.values_at(:submitted, :done, :cancelled, :rejected))
    end
  end

  def test_a_full_queue_makes_the_caller_work_if_asked_to
    with_busy_pool(overflow: :caller_runs) do |pool, running, waiting, gate, open|
      assert_equal(:done, pool.submit(open).status)
      FileUtils.touch(gate)
      assert_equal([gate, open], [running.value, waiting.value])
      assert_equal([open] * 20, pool.map([open] * 20))
    end
  end

  # One call runs, one waits, and the queue is full.
  def with_busy_pool(**options)
    with_gate do |gate, open|
      with_pool(workers: 1, queue: 1, **gated, **options) do |pool|
        next if strategy == :inline

        running = pool.submit(gate)
        wait_until { running.status == :running }
        yield(pool, running, pool.submit(open), gate, open)
      ensure
        FileUtils.touch(gate)
      end
    end
  end

  def test_map_waits_for_room_whatever_the_pool_does_else
    with_pool(queue: 1, overflow: :reject, **double) do |pool|
      assert_equal((1..30).map { |n| n * 2 }, pool.map(1..30))
    end
  end

  def test_map_takes_a_stream
    with_pool(**double) { |pool| assert_equal([2, 4], pool.map([1, 2].each)) }
  end

  def test_workers_without_work_leave_and_others_come_when_there_is_some
    with_pool(idle: 0.02, **double) do |pool|
      next if strategy == :inline

      2.times do
        assert_equal([2, 4, 6], pool.map([1, 2, 3]))
        wait_until { pool.stats[:workers].zero? }
      end
      assert_equal([0, 6], pool.stats.values_at(:replaced, :done))
    end
  end

  def test_some_workers_stay_without_work
    with_pool(idle: 0.02, keep: 1, **double) do |pool|
      next if strategy == :inline

      assert_equal([2, 4, 6], pool.map([1, 2, 3]))
      wait_until { pool.stats[:workers] == 1 }
      assert_equal([8], pool.map([4]))
      assert_operator(pool.stats[:workers], :>=, 1)
    end
  end

  def test_stats_count
    with_pool(**fussy) do |pool|
      [1, 2, 7].map { |n| pool.submit(n) }.each(&:wait)
      stats = pool.stats
      counts = {on: strategy, waiting: 0, submitted: 3, done: 2, failed: 1, cancelled: 0,
                rejected: 0, replaced: 0}
      assert_equal(counts, stats.slice(*counts.keys))
      assert_operator(stats[:workers], :<=, 2)
      assert_includes(0..2, stats[:most_workers])
      assert_includes(0..3, stats[:most_waiting])
      assert_match(/on: :#{strategy}/, pool.inspect)
    end
  end

  def test_the_work_may_be_given_by_keyword
    [proc { |n| n + 1 }, 1.method(:+)].each do |work|
      pool = Raffia::Pool.new(on: strategy, workers: 1, work: work)
      assert_equal 3, pool.submit(2).value
    ensure
      pool&.shutdown
    end
    assert_match(/twice/,
      assert_raises(Raffia::ConfigError) { Raffia::Pool.new(on: strategy, work: proc {}) { 1 } }
        .message)
    assert_match(/cannot be called/,
      assert_raises(Raffia::ConfigError) { Raffia::Pool.new(on: strategy, work: 5) }.message)
    error = assert_raises(ArgumentError) do
      Raffia::Pool.new(on: strategy, timeout: 1, wrok: 2) { 1 }
    end
    assert_equal "unknown keywords: :wrok, :timeout (a single call, such as Raffia.map, takes " \
      "timeout:)", error.message
  end

  def test_open_shuts_down_after_its_block
    assert_no_leaks do
      futures = Raffia::Pool.open(on: strategy, workers: 2, work: proc { |n| n + 1 }) do |pool|
        [1, 2].map { |n| pool.submit(n) }
      end
      assert_equal([2, 3], futures.map(&:value))
      assert_raises(IOError) do
        Raffia::Pool.open(on: strategy, workers: 2, work: proc { |n| n }) do |pool|
          pool.submit(1) && raise(IOError)
        end
      end
    end
  end

  def test_many_threads_submit
    with_pool(**double) do |pool|
      sums =
        Array.new(4) { |k| Thread.new { (1..100).map { |n| pool.submit(n * k) }.sum(&:value) } }
          .map(&:value)
      assert_equal(Array.new(4) { |k| 2 * k * 5050 }, sums)
    end
  end

  def test_a_forked_child_starts_afresh
    need_fork
    with_pool(**double) do |pool|
      pool.submit(1).value
      next if strategy == :ractors # forking after Ractors were started is not safe before Ruby 4.0

      pid = fork do
        exit!((pool.submit(3).value == 6) ? 0 : 1)
      end
      assert_equal(0, ::Process.wait2(pid).last.exitstatus)
      assert_equal(4, pool.submit(2).value)
    end
  end

  def test_arguments_that_cannot_be_meant
    {
      {workers: 0} => /workers: 0 is not a count/, {queue: 0} => /queue: 0 is not a count/,
      {keep: -1} => /keep: -1 is not a number of workers/,
      {idle: -1} => /idle: -1 is not a time/,
      {idle: "1"} => /idle: "1" is not a time/,
      {overflow: :drop} => /overflow: :drop is nothing .*:block, :reject, :caller_runs/
    }.each do |options, message|
      assert_match(message,
        assert_raises(Raffia::ConfigError) { Raffia::Pool.new(on: strategy, **options) {} }.message)
    end
    with_pool(**double) { |pool| assert_raises(Raffia::ConfigError) { pool.submit(1).value(-1) } }
  end
end

# For strategies whose workers can be sent a block.
module PoolPersistentBlocks
  def test_each_piece_of_work_brings_its_own_block
    with_pool do |pool|
      factor = 3
      assert_equal([3, 5], [pool.submit { factor }.value, pool.submit(4) { |n| n + 1 }.value])
      assert_equal([1, 4, 9], pool.map(1..3) { |n| n * n })
    end
  end

  def test_without_any_block
    with_pool do |pool|
      assert_match(/without a block/, assert_raises(Raffia::ConfigError) { pool.submit(1) }.message)
    end
  end

  def test_the_deadline_of_who_submits_holds_for_the_work
    with_pool do |pool|
      next if strategy == :inline

      future = Raffia.timeout(0.05) { pool.submit { sleep } }
      assert_equal(0.05,
        assert_raises(Raffia::TimeoutError) { future.value(PoolPersistentContract::LONG) }.seconds)
      assert_equal(:next, pool.submit { :next }.value)
    end
  end

  def test_callers_take_turns
    with_pool(workers: 1) do |pool|
      next if strategy == :inline

      gate = Thread::Queue.new
      order = Thread::Queue.new
      pool.submit { gate.pop }
      wait_until { pool.stats[:waiting].zero? && pool.stats[:workers] == 1 }
      greedy = Thread.new { (1..200).map { |n| pool.submit { order << n } } }.value
      modest = Thread.new { [:a, :b].map { |name| pool.submit { order << name } } }.value
      gate << true
      (greedy + modest).each { |future| future.wait(PoolPersistentContract::LONG) }
      done = Array.new(202) { order.pop }
      assert_equal([1, :a, 2, :b, 3], done.first(5))
      assert_equal([*1..200], done - [:a, :b])
    end
  end

  # With as many waiting tasks as workers, one of them has to do the inner work.
  def test_work_that_waits_for_work_of_the_same_pool
    with_pool(workers: 1) do |pool|
      assert_equal(6, pool.submit { 1 + pool.submit { 2 + pool.submit { 3 }.value }.value }
        .value(PoolPersistentContract::LONG))
    end
  end
end

# For strategies whose workers cannot.
module PoolPersistentElsewhere
  def test_a_block_must_be_given_at_the_start
    error = assert_raises(Raffia::ConfigError) { Raffia::Pool.new(on: strategy) }
    assert_match(
      /a block cannot be sent to #{strategy} that run already.*Pool.new\(on: :#{strategy}\) \{/,
      error.message
    )
    with_pool(**double) { |pool| assert_raises(Raffia::ConfigError) { pool.submit(1) { 2 } } }
  end

  def test_results_that_cannot_be_dumped_fail_alone
    with_pool(work: proc { |n| (n == 2) ? proc {} : n }) do |pool|
      futures = [1, 2, 3].map { |n| pool.submit(n) }
      error = assert_raises(Raffia::NotDumpable) { futures[1].value }
      assert_equal([2, 1], [error.item, error.index])
      assert_equal([1, 3], [futures[0].value, futures[2].value])
    end
  end

  def test_arguments_that_cannot_cross_fail_alone
    with_pool(**double) do |pool|
      futures = [1, Thread.current, 3].map { |argument| pool.submit(argument) }
      error = assert_raises(Raffia::NotDumpable, Raffia::NotShareable) { futures[1].value }
      assert_match(/Thread/, error.message)
      assert_equal([2, 6], [futures[0].value, futures[2].value])
    end
  end
end
