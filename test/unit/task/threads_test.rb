# frozen_string_literal: true

require "test_helper"
require "raffia" # in a Ractor a time limit needs the loop
require "timeout"

# Parts of the task component that serve plain threads, without any scheduler.
class TaskThreadsTest < Raffia::TestCase
  SHORT = 0.005
  # Before it passes something is begun, on a busy machine too.
  SOON = 0.1

  # Ruby's Timeout keeps a thread from its first use on: no leak of the test that uses it first.
  def setup
    super
    Timeout.timeout(1) { nil }
  end

  def test_channel
    assert_no_leaks do
      channel = Raffia::Channel.new(2)
      producers = Array.new(3) { |n| Thread.new { 50.times { |i| channel << [n, i] } } }
      consumers = Array.new(2) { Thread.new { channel.to_a } }
      producers.each(&:join)
      got = consumers.tap { channel.close }.flat_map(&:value)
      assert_equal 150, got.uniq.size
      3.times { |n| assert_equal (0...50).to_a, got.select { |m, _| m == n }.map(&:last).sort }
    end
  end

  def test_channel_timeout_and_close
    channel = Raffia::Channel.new
    assert_raises(Raffia::TimeoutError) { channel.pop(timeout: SHORT) }
    assert_raises(Raffia::TimeoutError) { channel.push(1, timeout: SHORT) }
    thread = Thread.new { assert_raises(Raffia::Closed) { channel.pop } }
    wait_until { thread.status == "sleep" }
    channel.close
    thread.join
  end

  def test_a_killed_receiver_gives_its_item_back
    channel = Raffia::Channel.new
    100.times do |i|
      thread = Thread.new { channel.pop }
      wait_until { thread.status == "sleep" }
      channel.push(i, timeout: 1)
      thread.kill
      assert_equal i, thread.join.value || channel.pop(timeout: 0)
    end
  end

  def test_select_semaphore_condition_barrier_limiter
    assert_no_leaks do
      channel = Raffia::Channel.new
      thread = Thread.new { Raffia.select { |on| on.pop(channel) } }
      channel << :item
      assert_equal :item, thread.value

      semaphore = Raffia::Semaphore.new(2)
      inside = Thread::Queue.new
      most = Array.new(6) do
        Thread.new do
          semaphore.synchronize do
            inside << 1
            Thread.pass
            inside.size.tap { inside.pop }
          end
        end
      end
      assert_includes [1, 2], most.map(&:value).max

      barrier = Raffia::Barrier.new(3)
      assert_equal [0, 1, 2], Array.new(3) { Thread.new { barrier.wait } }.map(&:value).sort

      Raffia::RateLimiter.new(10_000, burst: 1).tap { |limiter| 3.times { limiter.acquire } }

      assert_equal(2,
        Raffia.retry(backoff: 0.0001) { |attempt| (attempt < 2) ? raise("again") : attempt })
    end
  end

  def test_timeout
    assert_equal 1, Raffia.timeout(10) { 1 }
    error = assert_raises(Raffia::TimeoutError) { Raffia.timeout(SHORT) { sleep } }
    assert_equal SHORT, error.seconds
    assert_raises(Raffia::TimeoutError) { Raffia.timeout(SHORT) { Raffia::Channel.new.pop } }
    assert_raises(Raffia::TimeoutError) { Raffia.timeout(SHORT) { Thread::Queue.new.pop } }
    assert_raises(Raffia::TimeoutError) do
      Raffia.timeout(SHORT) { loop { Raffia.deadline.check! } }
    end
    assert_raises(Raffia::TimeoutError) { Raffia.timeout(0) { sleep } }
    assert_nil Raffia.deadline
  end

  def test_an_outer_timeout_is_not_taken_for_the_inner_one
    [-> { sleep }, -> { Raffia::Channel.new.pop }].each do |wait|
      wrong = false
      assert_raises(Raffia::TimeoutError) do
        Raffia.timeout(SHORT) do
          Raffia.timeout(10, &wait)
        rescue Raffia::TimeoutError
          wrong = true
        end
      end
      refute wrong
    end
  end

  def test_the_users_own_timeout_error_is_left_alone
    require "timeout"
    error = assert_raises(::Timeout::Error) do
      Raffia.timeout(10) { ::Timeout.timeout(SHORT) { sleep } }
    end
    refute_kind_of Raffia::Error, error
    own = assert_raises(::Timeout::Error) { Raffia.timeout(10) { raise ::Timeout::Error, "mine" } }
    assert_equal "mine", own.message
  end

  def test_shield
    steps = []
    assert_raises(Raffia::TimeoutError) do
      Raffia.timeout(SHORT) do
        Raffia.shield do
          assert_nil Raffia.deadline
          sleep(SHORT * 2)
          Raffia::Channel.new.pop(timeout: SHORT) rescue steps <<
            :waited # standard:disable Style/RescueModifier
        end
        steps << :went_on
        sleep
      end
    end
    assert_equal :waited, steps.first
    assert_equal 5, Raffia.shield { 5 }
  end

  def test_the_deadline_travels_into_threads
    error = nil
    assert_no_leaks do
      thread = Raffia.timeout(SOON) do
        Thread.new do
          error = assert_raises(Raffia::TimeoutError) { Raffia::Semaphore.new(1).acquire.acquire }
        end
      end
      thread.join
    end
    assert_equal SOON, error.seconds
  end

  def test_other_ractors_see_deadlines_where_they_wait
    verbose, $VERBOSE = $VERBOSE, nil
    ractor = Ractor.new do
      waited = begin
        Raffia.timeout(0.005) { Raffia::Channel.new.pop }
      rescue Raffia::TimeoutError => error
        error.seconds
      end
      asked = begin
        Raffia.timeout(0.005) { loop { Raffia.deadline.check! } }
      rescue Raffia::TimeoutError => error
        error.seconds
      end
      [waited, asked, Raffia.timeout(100) { Raffia.shield { Raffia.deadline.inspect } }]
    end
    result = ractor.respond_to?(:value) ? ractor.value : ractor.take
    assert_equal [0.005, 0.005, "nil"], result
  ensure
    $VERBOSE = verbose
  end

  def test_scopes_need_a_scheduler
    error = assert_raises(Raffia::Error) { Raffia::Scope.open {} }
    assert_match(/Raffia\.run/, error.message)
    assert_raises(Raffia::Error) { Raffia.race([-> {}]) }
  end

  def test_a_trap_handler_gets_an_error_instead_of_hanging
    guard = Raffia::SpinLock.new
    seen = nil
    previous = trap(:USR1) { seen = assert_raises(ThreadError) { guard.hold {} } }
    guard.hold do
      ::Process.kill(:USR1, ::Process.pid)
      wait_until { seen }
    end
    assert_match(/Queue/, seen.message)
  ensure
    trap(:USR1, previous || "DEFAULT")
  end

  def test_guard_excludes
    guard = Raffia::SpinLock.new
    count = 0
    Array.new(4) {
      Thread.new { 500.times { guard.hold { count = count.succ.tap { Thread.pass } } } }
    }.each(&:join)
    assert_equal 2000, count
    assert_raises(IndexError) { guard.hold { raise IndexError } }
    assert_equal(:free, guard.hold { :free })
  end
end
