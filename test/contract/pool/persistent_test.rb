# frozen_string_literal: true

require_relative "persistent_contract"

class PoolPersistentInlineTest < Raffia::TestCase
  include PoolPersistentContract
  include PoolPersistentBlocks

  def strategy = :inline
end

class PoolPersistentThreadsTest < Raffia::TestCase
  include PoolPersistentContract
  include PoolPersistentBlocks

  def strategy = :threads

  def test_pieces_of_work_may_wait_for_each_other
    with_pool(workers: 2) do |pool|
      queue = Thread::Queue.new
      taker = pool.submit { queue.pop }
      pool.submit { queue << :given }
      assert_equal(:given, taker.value(PoolPersistentContract::LONG))
    end
  end

  def test_ten_thousand_pieces_of_work_need_no_more_threads_than_workers
    with_pool(workers: 4) do |pool|
      assert_operator(Array.new(10_000) { pool.submit { Thread.current } }.map(&:value).uniq.size,
        :<=, 4)
    end
  end

  def test_fiber_storage_of_who_submits_first_does_not_stay
    Fiber[:raffia_test] = :mine
    with_pool { |pool| assert_nil(pool.submit { Fiber[:raffia_test] }.value) }
  ensure
    Fiber[:raffia_test] = nil
  end

  def test_a_worker_that_kills_its_thread_is_missed_and_replaced
    with_pool(workers: 1) do |pool|
      killed, other = pool.submit(:me) { Thread.current.kill }, pool.submit { :done }
      assert_equal([:me, 0], assert_raises(Raffia::WorkerDied) { killed.value }
        .then { |error| [error.item, error.index] })
      assert_equal(:done, other.value(PoolPersistentContract::LONG))
      assert_equal(1, pool.stats[:replaced])
    end
  end

  def test_a_worker_may_terminate_its_pool_but_not_wait_for_it
    with_pool do |pool|
      assert_raises(Raffia::Error) { pool.submit { pool.shutdown }.value }
      pool.submit { pool.terminate }.wait(PoolPersistentContract::LONG)
      assert_predicate(pool, :closed?)
    end
  end

  # However close to its end a piece of work is stopped, the next one of its worker never is.
  def test_a_storm_of_cancels_meets_only_whom_it_is_meant_for
    with_pool(workers: 3) do |pool|
      kept, stopped = Array.new(1_500) { |n| pool.submit { sleep(0.0001) && n } }.partition
        .with_index { |_, n| n.even? }
      stopped.each do |future|
        (future.status == :pending && rand < 0.5 && sleep(0.0002)) || future.cancel
      end
      assert_equal((0...1_500).step(2).to_a,
        kept.map { |future| future.value(PoolPersistentContract::LONG) })
      assert_empty(stopped.map { |future| future.wait(PoolPersistentContract::LONG).status } -
        %i[done cancelled])
    end
  end

  def test_a_cancel_does_not_reach_who_follows
    with_pool(workers: 2) do |pool|
      pairs = Array.new(1_500) do |n|
        pool.submit { n }.then { |value| sleep(0.0001) && value }.then { |value| value }
      end
      firsts = Array.new(1_500) { |n| pool.submit { n } }
      pairs.concat(firsts.map { |first| first.then { |value| sleep(0.0001) && value } })
      firsts.each { |first| (first.status == :pending && sleep(0.0001)) || first.cancel }
      pairs.first(1_500).each_with_index do |last, n|
        assert_equal(n, last.value(PoolPersistentContract::LONG))
      end
      followers = pairs.last(1_500).map { |last| last.wait(PoolPersistentContract::LONG).status }
      assert_equal(firsts.map(&:status), followers)
    end
  end

  def test_whoever_follows_hears_of_the_end_of_the_pool
    with_pool(workers: 1) do |pool|
      gate = Thread::Queue.new
      begun = Thread::Queue.new
      first = pool.submit { gate.pop }
      followers = [first.then { (begun << true) && sleep }, first.then { |value| value }]
      gate << 1
      begun.pop
      pool.terminate
      assert_equal([:cancelled] *
        2, followers.map { |follower| follower.wait(PoolPersistentContract::LONG).status })
    end
  end

  def test_a_shield_holds_off_a_cancel
    with_pool(workers: 1) do |pool|
      steps = Thread::Queue.new
      gate = Thread::Queue.new
      future = pool.submit do
        Raffia.shield { (steps << :in) && gate.pop && (steps << :out) } && (steps << :never)
      end
      steps.pop
      assert_equal(:interrupted, future.cancel)
      gate << true
      assert_equal([:cancelled, :out, true],
        [future.wait(PoolPersistentContract::LONG).status, steps.pop, steps.empty?])
    end
  end

  # Each worker would wait for a free place that only the workers can make.
  def test_a_worker_that_submits_to_a_full_queue_does_not_wait
    with_pool(workers: 1, queue: 1) do |pool|
      outer = pool.submit { Array.new(5) { |n| pool.submit { n } } }
      assert_equal([0, 1, 2, 3, 4], outer.value(PoolPersistentContract::LONG).map(&:value))
      assert_equal([1, 2, 3], pool.submit { pool.map([0, 1, 2]) { |n| n + 1 } }
        .value(PoolPersistentContract::LONG))
    end
  end

  # Not one after the other, or none would ever be without work.
  def test_who_rested_least_is_called_first
    with_pool(workers: 4) do |pool|
      gate = Thread::Queue.new
      four = Array.new(4) { pool.submit { gate.pop && Thread.current } }
      4.times { gate << true }
      four.each(&:value)
      wait_until { pool.stats[:idle] == 4 }
      served = Array.new(20) do
        pool.submit { Thread.current }.value.tap { wait_until { pool.stats[:idle] == 4 } }
      end
      assert_equal(1, served.uniq.size)
    end
  end

  def test_throw_and_break_end_in_who_asks_for_the_value
    with_pool do |pool|
      future = pool.submit { throw :done, 5 }
      assert_equal(5, catch(:done) { future.value })
    end
  end
end

class PoolPersistentFibersTest < Raffia::TestCase
  include PoolPersistentContract
  include PoolPersistentBlocks

  def strategy = :fibers

  def test_many_waits_at_once_on_one_thread
    with_pool(workers: 100) do |pool|
      together = Raffia::Barrier.new(100)
      threads = Array.new(100) { pool.submit { together.wait && Thread.current } }
        .map { |future| future.value(PoolPersistentContract::LONG) }
      assert_equal(1, threads.uniq.size)
    end
  end

  # The system may have no memory for another stack.
  def test_a_fiber_that_cannot_start_the_next_one_fails_its_future
    with_pool do |pool|
      group = pool.instance_variable_get(:@coordinator).group
      group.define_singleton_method(:spread) { |_feed| raise FiberError, "no stack" }
      future = pool.submit { 1 }
      error = assert_raises(FiberError) { future.value(PoolPersistentContract::LONG) }
      assert_equal("no stack", error.message)
    end
  end
end

class PoolPersistentProcessesTest < Raffia::TestCase
  include PoolPersistentContract
  include PoolPersistentElsewhere

  def strategy = :processes

  def test_a_block_from_a_method
    with_pool(work: Math.method(:sqrt).to_proc) { |pool| assert_equal(3.0, pool.submit(9).value) }
  end

  def test_a_killed_worker_is_named_with_its_item_and_replaced
    with_pool(work: proc { |n| (n == 5_000) ? ::Process.kill(:KILL, ::Process.pid) : n }) do |pool|
      futures = (0...10_000).map { |n| pool.submit(n) }
      error = assert_raises(Raffia::WorkerDied) { futures[5_000].value }
      assert_equal(["SIGKILL", 5_000, 5_000], [error.signal, error.item, error.index])
      outcomes = futures.each { |future| future.wait(PoolPersistentContract::LONG) }.map(&:status)
        .tally
      assert_equal([:done, :failed], outcomes.keys.sort)
      assert_equal(10_000, outcomes.values.sum)
      # Finished items of the same chunk that the worker had not returned are lost with it.
      assert_operator(outcomes[:failed], :<, 10_000 / 2)
      futures.select { |future| future.status == :failed }
        .each { |future| assert_instance_of(Raffia::WorkerDied, future.error) }
      assert_equal(1, pool.submit(1).value)
    end
  end

  def test_what_a_killed_worker_had_is_done_by_others
    with_pool(work: proc { |folder, n|
      if n % 500 == 250 && PoolRetryContract::Attempts.count([folder, n]) == 1
        ::Process.kill(:KILL, ::Process.pid)
      else
        n
      end
    }, retries: 1, backoff: 0) do |pool|
      Dir.mktmpdir do |folder|
        assert_equal((0...2_000).to_a, (0...2_000).map { |n| pool.submit(folder, n) }
          .map { |future| future.value(PoolPersistentContract::LONG) })
      end
    end
  end

  # In a process of its own, because every worker that is forked meanwhile dies.
  def test_workers_that_never_begin_are_not_started_for_ever
    [0, 5].each do |retries|
      out = output_of(<<~RUBY)
        require "raffia"
        dying = Raffia::Fork.after_child { exit!(1) }
        limits = {workers: 2, retries: #{retries}, backoff: 0}
        pool = Raffia::Pool.new(on: :processes, **limits) { |n| n * 2 }
        futures = Array.new(30) { |n| pool.submit(n) }
        died = futures.count { |future| future.wait(60)&.error.is_a?(Raffia::WorkerDied) }
        dying.remove
        puts "\#{died} died, then \#{pool.submit(2).value(60)}"
        pool.shutdown
      RUBY
      assert_equal("30 died, then 4\n", out)
    end
  end

  def test_workers_that_died_are_counted
    [0, 1].each do |retries|
      with_pool(work: proc { |n| (n == 5) ? exit!(3) : n }, workers: 1, retries: retries,
        backoff: 0) do |pool|
        assert_raises(Raffia::WorkerDied) { pool.submit(5).value(PoolPersistentContract::LONG) }
        assert_equal([1, 1 + retries], [pool.submit(1).value(PoolPersistentContract::LONG),
          pool.stats[:replaced]])
      end
    end
  end

  def test_an_item_that_kills_every_worker_fails_alone
    with_pool(work: proc { |n| (n == 5) ? exit!(3) : n }, retries: 2, backoff: 0) do |pool|
      futures = (0...50).map { |n| pool.submit(n) }
      error = assert_raises(Raffia::WorkerDied) { futures[5].value(PoolPersistentContract::LONG) }
      assert_equal([3, 5], [error.status, error.item])
      assert_equal((0...50).to_a -
        [5], (futures - [futures[5]]).map { |future| future.value(PoolPersistentContract::LONG) })
    end
  end

  def test_what_cannot_be_interrupted_is_ended_when_it_takes_too_long
    with_pool(work: proc { |n| (n == 1) ? ::Process.kill(:STOP, ::Process.pid) : n }, workers: 1,
      item_timeout: 0.5) do |pool|
      futures = [0, 1, 2].map { |n| pool.submit(n) }
      assert_equal(1,
        assert_raises(Raffia::TimeoutError) { futures[1].value(PoolPersistentContract::LONG) }.item)
      assert_equal([0, 2], [futures[0].value, futures[2].value(PoolPersistentContract::LONG)])
    end
  end

  def test_an_idle_worker_that_was_killed_costs_nothing
    with_pool(workers: 1, **double) do |pool|
      assert_equal(2, pool.submit(1).value)
      victim = pool.stats[:pids].first
      ::Process.kill(:KILL, victim)
      wait_until do
        File.read("/proc/#{victim}/stat")[/\) (\S)/, 1] == "Z"
      rescue
        true
      end # standard:disable Style/RescueModifier
      assert_equal(4, pool.submit(2).value)
      refute_equal([victim], pool.stats[:pids])
    end
  end

  def test_workers_end_when_the_parent_is_killed
    reader, writer = IO.pipe
    parent = fork do
      pool = Raffia::Pool.new(on: :processes, workers: 2) { |n| sleep(n) && ::Process.pid }
      pids = [pool.submit(0.05), pool.submit(0.05)].map(&:value).uniq
      pids.each { |_| pool.submit(1000) }
      writer.puts(pids.join(" "))
      sleep
    end
    pids = reader.gets.split.map(&:to_i)
    ::Process.kill(:KILL, parent)
    ::Process.wait(parent)
    wait_until(PATIENCE, "workers #{pids} outlive their parent") do
      pids.none? { |pid| File.exist?("/proc/#{pid}") }
    end
  ensure
    [reader, writer].each(&:close)
  end
end

class PoolPersistentRactorsTest < Raffia::TestCase
  include PoolPersistentContract
  include PoolPersistentElsewhere

  def strategy = :ractors
end
