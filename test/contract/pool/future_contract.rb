# frozen_string_literal: true

require_relative "retry_contract"

# The promises of futures, and the retries of persistent pools, on every strategy. Part of
# {PoolPersistentContract}.
module PoolFutureContract
  LONG = 60
  Attempts = PoolRetryContract::Attempts

  # Says that it has begun, and then takes its time; and fails as often as its argument says.
  WORK = proc do |item, seconds, failures|
    attempt = Attempts.count(item)
    sleep(seconds)
    raise IOError, "attempt #{attempt}" if failures && attempt <= failures

    item.last
  end

  # @yieldparam item [Proc] makes the argument with a number
  def with_work(**options)
    Dir.mktmpdir do |folder|
      with_pool(work: WORK, backoff: 0, **options) { |pool| yield pool, ->(n) { [folder, n] } }
      Attempts.of(folder)
    end
  end

  def begun(future) = wait_until { File.exist?("#{future.arguments.first.join("/")}.1") }

  # --- then

  def test_then_goes_on_with_the_value
    with_pool(**double) do |pool|
      first = pool.submit(1)
      last = first.then { |n| n + 1 }.then { |n| [n, n] }
      assert_equal([[3, 3], :done, 2], [last.value(LONG), last.status, first.value])
      assert_equal("2", first.then(&:to_s).value(LONG))
      assert_equal({submitted: 1, done: 1, failed: 0}, pool.stats.slice(:submitted, :done, :failed))
    end
  end

  def test_then_of_what_fails_fails_with_it
    with_pool(**fussy) do |pool|
      ran = []
      last = pool.submit(7).then { |n| ran << n }.then { |n| ran << n }
      error = assert_raises(ArgumentError) { last.value(LONG) }
      assert_equal(["not seven", 7, []], [error.message, error.item, ran])
      own = pool.submit(6).then { |n| n / 0 }
      assert_equal(6, assert_raises(ZeroDivisionError) { own.value(LONG) }.item)
      assert_raises(Raffia::ConfigError) { own.then }
    end
  end

  def test_many_may_follow_one
    with_pool(**double) do |pool|
      first = pool.submit(4)
      assert_equal((0...20).map { |n| 8 + n },
        Array.new(20) { |n| Thread.new { first.then { |value| value + n }.value(LONG) } }
          .map(&:value))
    end
  end

  # --- cancel

  def test_a_cancelled_chain
    with_work(workers: 1) do |pool, item|
      next if strategy == :inline

      begun(busy = pool.submit(item[0], 1))
      start, shared = pool.submit(item[1], 0), pool.submit(item[2], 0)
      last = start.then { |n| n }.then { |n| n }
      one, _other = shared.then { |n| n }, shared.then { |n| n }
      assert_equal([:waiting, :waiting], [last.cancel(:enough), one.cancel(:enough)])
      assert_equal([:cancelled, :cancelled, :cancelled], [last, start, one].map(&:status))
      down = shared.then { |n| n }
      assert_equal(:waiting, shared.cancel(:all))
      assert_equal(:all, assert_raises(Raffia::Cancelled) { down.value(LONG) }.reason)
      assert_equal(0, busy.value(LONG))
    end
  end

  def stops
    {fibers: :interrupted, threads: :interrupted, processes: :killed, ractors: :abandoned}[strategy]
  end

  def test_what_runs_is_stopped
    with_work(workers: 1) do |pool, item|
      next if strategy == :inline

      begun(running = pool.submit(item[0], (strategy == :ractors) ? 2 : 1000))
      other = pool.submit(item[1], 0)
      assert_equal(stops, running.cancel(:enough))
      assert_equal(:enough, assert_raises(Raffia::Cancelled) { running.value(LONG) }.reason)
      assert_equal([:cancelled, false], [running.status, running.cancel])
      assert_equal(1, other.value(LONG))
      assert_equal({done: 1, cancelled: 1, failed: 0}, pool.stats.slice(:done, :cancelled, :failed))
    end
  end

  def test_what_was_stopped_takes_nothing_along
    with_work(workers: 1) do |pool, item|
      next if strategy == :inline

      # Short ones first, so that many travel together.
      (1..300).map { |n| pool.submit(item[n], 0) }.each(&:value)
      gate = pool.submit(item[0], 0.1)
      long = pool.submit(item[1000], 2)
      others = (1001..1050).map { |n| pool.submit(item[n], 0) }
      begun(long)
      assert(long.cancel(:enough))
      assert_equal([0, *1001..1050], [gate, *others].map { |future| future.value(LONG) })
      assert_equal(:cancelled, long.status)
    end
  end

  def test_what_ended_cannot_be_cancelled
    with_pool(**fussy) do |pool|
      [6, 7].each { |n| refute(pool.submit(n).wait(LONG).cancel) }
      refute(pool.submit(6).tap(&:wait).then { |n| n }.tap(&:wait).cancel)
    end
  end

  # --- retries and item_timeout

  def test_a_pool_tries_again
    attempts = with_work(retries: 2) do |pool, item|
      futures = (0...30).map { |n| pool.submit(item[n], 0, (n % 3 == 0) ? 2 : 0) }
      assert_equal((0...30).to_a, futures.map { |future| future.value(LONG) })
      assert_equal({submitted: 30, done: 30, failed: 0},
        pool.stats.slice(:submitted, :done, :failed))
    end
    assert_equal((0...30).to_h { |n| [n, (n % 3 == 0) ? 3 : 1] }, attempts)
  end

  def test_work_whose_backoff_fails_fails_with_that
    with_pool(**fussy, retries: 2, backoff: ->(_) { raise KeyError, "no pause" }) do |pool|
      assert_equal("no pause", assert_raises(KeyError) { pool.submit(7).value(LONG) }.message)
      assert_equal(1, pool.submit(1).wait(LONG).value && pool.stats[:failed])
    end
  end

  def test_a_pool_gives_up
    attempts = with_work(retries: 1, retry_on: [IOError]) do |pool, item|
      assert_equal("attempt 2", assert_raises(IOError) { pool.submit(item[0], 0, 5).value(LONG) }
        .message)
      assert_raises(ArgumentError) { pool.submit(item[1], -1).value(LONG) }
    end
    assert_equal({0 => 2, 1 => 1}, attempts)
  end

  def test_a_pause_holds_up_nobody
    with_work(workers: 1, retries: 1, backoff: ->(_) { 1 }) do |pool, item|
      next if strategy == :inline

      ended = Thread::Queue.new
      5.times { |n| pool.submit(item[n], 0, (n == 0) ? 1 : 0).then { |value| ended << value } }
      assert_equal([1, 2, 3, 4, 0], Array.new(5) { ended.pop })
    end
  end

  def test_shutdown_waits_for_what_is_tried_again_and_not_for_pauses
    with_work(retries: 1, backoff: 1_000) do |pool, item|
      next if strategy == :inline

      future = pool.submit(item[0], 0, 1)
      begun(future)
      assert(pool.shutdown(LONG))
      assert_equal([0, :done], [future.value, future.status])
    end
  end

  def test_shutdown_in_the_middle_of_a_pause
    with_work(retries: 1, backoff: 1_000) do |pool, item|
      next if strategy == :inline

      future = pool.submit(item[0], 0, 1)
      wait_until { future.status == :pending && File.exist?("#{item[0].join("/")}.1") }
      wait_until { Thread.list.any? { |thread| thread.name == "raffia delays" && thread.stop? } }
      assert(Thread.new { pool.shutdown }.join(LONG), "it waits for the pause")
      assert_equal([0, :done], [future.value, future.status])
    end
  end

  def test_terminate_ends_pauses
    with_work(retries: 1, backoff: 1_000) do |pool, item|
      next if strategy == :inline

      future = pool.submit(item[0], 0, 1)
      wait_until { future.status == :pending && File.exist?("#{item[0].join("/")}.1") }
      pool.terminate
      assert_equal(:cancelled, future.wait(LONG).status)
    end
  end

  def test_a_pools_item_timeout
    with_work(workers: 1, item_timeout: 0.5) do |pool, item|
      late, other = pool.submit(item[0], 2), pool.submit(item[1], 0)
      error = assert_raises(Raffia::TimeoutError) { late.value(LONG) }
      assert_equal([0.5, late.subject, 0], [error.seconds, error.item, error.item_index])
      assert_equal(1, other.value(LONG))
    end
  end

  def test_keywords_of_calls_are_none_of_pools
    assert_match(/:chunk/,
      assert_raises(ArgumentError) { Raffia::Pool.new(on: strategy, chunk: 1) {} }.message)
  end
end
