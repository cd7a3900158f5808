# frozen_string_literal: true

require_relative "task_case"

module TaskPrimitivesSuite
  Boom = Class.new(StandardError)

  def test_semaphore_lets_so_many_in
    in_scope do |scope|
      semaphore = Raffia::Semaphore.new(3)
      inside = most = 0
      enough = false
      10.times do
        scope.spawn do
          semaphore.synchronize do
            most = [most, inside += 1].max
            sleep(0.001) until enough
            inside -= 1
          end
        end
      end
      assert_equal 7, semaphore.waiting
      enough = true
      settle { scope.size.zero? }
      assert_equal 3, most
      assert_equal 3, semaphore.available
    end
  end

  def test_semaphore_weights_and_order
    in_scope do |scope|
      semaphore = Raffia::Semaphore.new(3)
      order = []
      semaphore.acquire(2)
      scope.spawn { semaphore.synchronize(3) { order << :heavy } }
      scope.spawn { semaphore.synchronize { order << :light } }
      refute semaphore.try_acquire, "it must not overtake"
      sleep(0)
      assert_empty order
      semaphore.release(2)
      settle { order.size == 2 }
      assert_equal %i[heavy light], order
    end
  end

  def test_semaphore_a_heavy_one_that_gives_up_lets_the_others_through
    in_scope do |scope|
      semaphore = Raffia::Semaphore.new(3).acquire(2)
      heavy = scope.spawn do
        assert_raises(Raffia::TimeoutError) { semaphore.acquire(3, timeout: 0.002) }
      end
      light = scope.spawn { semaphore.acquire && :in }
      assert_predicate light, :alive?
      heavy.value
      assert_equal :in, light.value
    end
  end

  def test_semaphore_a_cancelled_one_takes_nothing_along
    in_scope do |scope|
      semaphore = Raffia::Semaphore.new(1).acquire
      task = scope.spawn { semaphore.acquire && :in }
      semaphore.release
      task.cancel
      task.join
      got = (task.status == :done) ? 0 : 1
      assert_equal got, semaphore.available
      waiting = scope.spawn { semaphore.acquire }
      waiting.cancel
      waiting.join
      assert_equal 0, semaphore.waiting
    end
  end

  def test_semaphore_resize
    in_scope do |scope|
      semaphore = Raffia::Semaphore.new(1).acquire
      tasks = Array.new(2) { scope.spawn { semaphore.acquire && :in } }
      semaphore.resize(3)
      assert_equal %i[in in], tasks.map(&:value)
      semaphore.resize(1)
      assert_equal(-2, semaphore.available)
      3.times { semaphore.release }
      assert_equal 1, semaphore.available
      assert_equal 1, semaphore.limit
    end
  end

  def test_semaphore_refuses_nonsense
    in_scope do
      semaphore = Raffia::Semaphore.new(2)
      assert_match(/released 1/, assert_raises(Raffia::Error) { semaphore.release }.message)
      [0, -1, 1.5, nil].each do |weight|
        assert_raises(Raffia::ConfigError) { semaphore.acquire(weight) }
      end
      assert_match(/never/, assert_raises(Raffia::ConfigError) { semaphore.acquire(3) }.message)
      assert_raises(Raffia::ConfigError) { Raffia::Semaphore.new(0) }
      assert_raises(Raffia::TimeoutError) { semaphore.acquire(2).acquire(1, timeout: 0) }
    end
  end

  def test_condition_signal_and_broadcast
    in_scope do |scope|
      condition = Raffia::Condition.new
      got = []
      3.times { |i| scope.spawn { got << [i, condition.wait] } }
      assert_equal 3, condition.waiting
      assert condition.signal(:one)
      settle { got == [[0, :one]] }
      assert_equal 2, condition.broadcast(:all)
      settle { got.size == 3 }
      assert_equal [[1, :all], [2, :all]], got.drop(1).sort
      refute condition.signal
      assert_equal 0, condition.broadcast
    end
  end

  def test_condition_with_a_mutex_between_threads
    in_scope do
      lock = Thread::Mutex.new
      condition = Raffia::Condition.new
      ready = false
      thread = Thread.new do
        lock.synchronize { condition.wait(lock) until ready }
        :went_on
      end
      settle { condition.waiting == 1 }
      lock.synchronize { (ready = true) && condition.broadcast }
      assert_equal :went_on, thread.value
    end
  end

  def test_condition_holds_the_mutex_again_after_a_timeout_and_a_cancellation
    in_scope do |scope|
      lock = Thread::Mutex.new
      condition = Raffia::Condition.new
      held = []
      lock.synchronize do
        assert_raises(Raffia::TimeoutError) { condition.wait(lock, timeout: 0.001) }
        held << lock.owned?
      end
      task = scope.spawn do
        lock.synchronize do
          condition.wait(lock)
        ensure
          held << lock.owned?
        end
      end
      lock.synchronize do
        task.cancel
        sleep(0.001)
      end
      task.join
      assert_equal [true, true], held
      refute_predicate lock, :locked?
      assert_equal 0, condition.waiting
    end
  end

  def test_condition_a_signal_for_a_cancelled_one_goes_to_the_next
    in_scope do |scope|
      condition = Raffia::Condition.new
      tasks = Array.new(2) { scope.spawn { condition.wait } }
      condition.signal(:value)
      tasks.first.cancel
      # Either the first had it already, or it was passed on.
      settle { tasks.any? { |task| task.status == :done } }
      assert_equal 1, tasks.count { |task| task.status == :done } + condition.waiting -
        ((tasks.first.status == :done) ? 1 : 0)
      scope.cancel
    end
  end

  def test_barrier
    in_scope do |scope|
      rounds = []
      barrier = Raffia::Barrier.new(3) { rounds << :met }
      seen = Array.new(3) { |i| scope.spawn { Array.new(2) { sleep(0.001 * i) && barrier.wait } } }
        .map(&:value)
      assert_equal [[0, 1, 2], [0, 1, 2]], seen.transpose.map(&:sort)
      assert_equal %i[met met], rounds
      assert_equal 0, barrier.waiting
    end
  end

  def test_barrier_breaks_when_one_gives_up
    in_scope do |scope|
      barrier = Raffia::Barrier.new(3)
      other = scope.spawn { assert_raises(Raffia::Barrier::Broken) { barrier.wait } }
      assert_raises(Raffia::TimeoutError) { barrier.wait(timeout: 0.001) }
      other.value
      assert_predicate barrier, :broken?
      assert_raises(Raffia::Barrier::Broken) { barrier.wait }
      barrier.reset
      refute_predicate barrier, :broken?
      tasks = Array.new(3) { scope.spawn { barrier.wait } }
      assert_equal [0, 1, 2], tasks.map(&:value).sort
    end
  end

  # The timeout ends the wait for others, and all had come.
  def test_barrier_lets_all_pass_or_none
    in_scope do |scope|
      barrier = Raffia::Barrier.new(2) { sleep(0.01) }
      tasks = Array.new(2) { scope.spawn { barrier.wait(timeout: 0.001) } }
      assert_equal [0, 1], tasks.map(&:value)
      refute_predicate barrier, :broken?
    end
  end

  def test_barrier_breaks_when_one_is_cancelled_or_the_action_fails
    in_scope do |scope|
      barrier = Raffia::Barrier.new(2) { raise Boom }
      scope.spawn { barrier.wait }.cancel
      settle { barrier.broken? }
      barrier.reset
      other = scope.spawn { assert_raises(Raffia::Barrier::Broken) { barrier.wait } }
      assert_raises(Boom) { barrier.wait }
      other.value
      assert_raises(Raffia::ConfigError) { Raffia::Barrier.new(0) }
    end
  end

  def test_barrier_reset_fails_waiting_parties_and_starts_over
    in_scope do |scope|
      barrier = Raffia::Barrier.new(3)
      sent_away = Array.new(2) do
        scope.spawn { assert_raises(Raffia::Barrier::Broken) { barrier.wait } }
      end
      assert_same barrier, barrier.reset
      sent_away.each(&:join)
      refute_predicate barrier, :broken?
      assert_equal [0, 1, 2], Array.new(3) { scope.spawn { barrier.wait } }.map(&:value).sort
    end
  end

  # Its action runs when all have come: who comes then, or goes, changes nothing for those.
  def test_barrier_whose_action_waits
    in_scope do |scope|
      go_on = Raffia::Channel.new
      barrier = Raffia::Barrier.new(2) { go_on.pop }
      gone = scope.spawn { barrier.wait }
      last = scope.spawn { barrier.wait }
      early = scope.spawn { barrier.wait }
      gone.cancel
      gone.join
      go_on << true
      assert_equal 1, last.value
      refute_predicate barrier, :broken?
      assert_equal [1, :running], [barrier.waiting, early.status]
      go_on << true if (second = scope.spawn { barrier.wait })
      assert_equal [0, 1], [early.value, second.value]
    end
  end

  def test_barrier_whose_action_fails_late
    in_scope do |scope|
      go_on = Raffia::Channel.new
      barrier = Raffia::Barrier.new(2) { go_on.pop && raise(Boom) }
      others = [scope.spawn { assert_raises(Raffia::Barrier::Broken) { barrier.wait } }]
      last = scope.spawn { assert_raises(Boom) { barrier.wait } }
      others << scope.spawn { assert_raises(Raffia::Barrier::Broken) { barrier.wait } }
      go_on << true
      [last, *others].each(&:value)
      assert_predicate barrier, :broken?
    end
  end

  def test_semaphore_resize_below_waiting_weights
    in_scope do |scope|
      semaphore = Raffia::Semaphore.new(5).acquire
      heavy = scope.spawn { assert_raises(Raffia::ConfigError) { semaphore.acquire(5) } }
      light = scope.spawn { semaphore.acquire && :in }
      semaphore.resize(3)
      assert_match(/weight of 5 .* semaphore of 3/, heavy.value.message)
      assert_equal :in, light.value
      assert_equal [1, 0], [semaphore.available, semaphore.waiting]
    end
  end

  def test_rate_limiter
    in_scope do |scope|
      limiter = Raffia::RateLimiter.new(1000, burst: 2)
      assert limiter.try_acquire(2)
      refute limiter.try_acquire
      order = []
      3.times { |i| scope.spawn { limiter.acquire && order << i } }
      settle { order.size == 3 }
      assert_equal [0, 1, 2], order
    end
  end

  def test_rate_limiter_says_at_once_that_it_will_not_do
    in_scope do |scope|
      limiter = Raffia::RateLimiter.new(1, per: 3600)
      limiter.acquire
      error = assert_raises(Raffia::TimeoutError) { limiter.acquire(timeout: 60) }
      assert_equal 60, error.seconds
      waiting = scope.spawn { limiter.acquire }
      refute limiter.try_acquire
      assert_raises(Raffia::TimeoutError) { limiter.acquire(timeout: 0.001) }
      waiting.cancel
    end
  end

  def test_rate_limiter_refuses_nonsense
    [[0, {}], [-1, {}], ["1", {}], [1, {per: 0}], [1, {burst: -1}]].each do |rate, options|
      assert_raises(Raffia::ConfigError) { Raffia::RateLimiter.new(rate, **options) }
    end
    limiter = Raffia::RateLimiter.new(0.5)
    assert_equal 1, limiter.burst
    assert_raises(Raffia::ConfigError) { limiter.acquire(2) }
    assert_raises(Raffia::ConfigError) { limiter.try_acquire(0) }
  end

  def test_race_returns_the_first_value
    on_scheduler do
      cancelled = []
      value = Raffia.race([100, 0.001, 200]) do |seconds|
        sleep(seconds)
        seconds
      rescue Raffia::Cancel
        cancelled << seconds
        raise
      end
      assert_equal 0.001, value
      assert_equal [100, 200], cancelled.sort
    end
  end

  def test_race_of_callables
    on_scheduler do
      started = []
      assert_equal :first, Raffia.race([-> { :first }, -> { started << :second }])
      assert_empty started, "the race was over"
      assert_nil Raffia.race([-> {}])
    end
  end

  def test_race_continues_without_failed_contestants
    on_scheduler do
      assert_equal(2, Raffia.race([1, 2]) { |i| (i == 1) ? raise(Boom) : sleep(0.001) && i })
      failed = false
      error = assert_raises(Boom) do
        Raffia.race([2, 1]) do |i|
          settle { failed || i == 1 }
          failed = true
          raise Boom, i.to_s
        end
      end
      assert_equal "1", error.message
      assert_equal ["2"], Raffia.suppressed(error).map(&:message)
      assert_raises(Raffia::ConfigError) { Raffia.race([]) }
      assert_raises(SystemExit) { Raffia.race([-> { exit }, -> { sleep }]) }
    end
  end

  def test_race_whose_loser_fails_to_clean_up
    errors = capture_io do
      on_scheduler do
        lost = lambda do
          sleep
        ensure
          raise Boom, "rollback failed"
        end
        assert_equal 1, Raffia.race([lost, -> { 1 }])
        assert_equal 1, Raffia.race([-> { 1 }, -> { raise Boom, "just lost" }])
      end
    end.last
    assert_match(/lost a race failed to clean up: .*rollback failed/, errors)
    refute_match(/just lost/, errors)
  end

  def test_race_whose_contestants_are_cancelled
    on_scheduler do
      quit = lambda do
        Raffia::Task.current.cancel
        sleep
      end
      assert_raises(Raffia::Cancelled) { Raffia.race([quit, quit]) }
      assert_raises(Boom) { Raffia.race([quit, -> { raise Boom }]) }
      assert_equal 1, Raffia.race([quit, -> { sleep(0.001) && 1 }])
    end
  end

  def test_race_is_cancelled_from_outside
    in_scope do |scope|
      running = 0
      task = scope.spawn do
        Raffia.race([1, 2]) do
          running += 1
          sleep
        ensure
          running -= 1
        end
      end
      settle { running == 2 }
      task.cancel
      task.join
      assert_equal [:cancelled, 0], [task.status, running]
    end
  end

  def test_retry
    on_scheduler do
      attempts = []
      value = Raffia.retry(times: 5, backoff: 0.0001) do |attempt|
        attempts << attempt
        (attempt < 3) ? raise(Boom) : :value
      end
      assert_equal :value, value
      assert_equal [1, 2, 3], attempts
    end
  end

  def test_retry_gives_up
    on_scheduler do
      attempts = 0
      assert_raises(Boom) do
        Raffia.retry(times: 2, backoff: ->(n) { n * 0.0001 }, jitter: 1) do
          raise Boom, (attempts += 1).to_s
        end
      end
      assert_equal 2, attempts
      assert_raises(Boom) do
        Raffia.retry(times: 2, backoff: 0, on: [IOError, ArgumentError]) do
          (attempts += 1) && raise(Boom)
        end
      end
      assert_equal 3, attempts
      assert_raises(Raffia::ConfigError) do
        Raffia.retry { (attempts += 1) && raise(Raffia::ConfigError) }
      end
      assert_equal 4, attempts
      [{times: 0}, {times: 1.5}, {jitter: 2}, {jitter: nil}, {backoff: -1}, {backoff: "1"},
        {max: -1}].each do |options|
        assert_raises(Raffia::ConfigError, options.inspect) do
          Raffia.retry(**options) { raise Boom }
        end
      end
    end
  end

  def test_retry_does_not_wait_past_the_deadline
    attempts = 0
    assert_raises(Boom) do
      on_scheduler do
        Raffia.timeout(10) { Raffia.retry(backoff: 100) { (attempts += 1) && raise(Boom) } }
      end
    end
    assert_equal 1, attempts
  end
end

TaskCase.run(TaskPrimitivesSuite)
