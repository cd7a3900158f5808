# frozen_string_literal: true

require "raffia"
require_relative "pool_contract"
require_relative "../task/task_case"

# The fibers strategy, under each scheduler that there is; and without one, where it asks Raffia.run
# for it.
module PoolFibersContract
  include PoolContract

  def strategy = :fibers

  def surround(&) = on_scheduler(&)

  def test_an_interrupted_caller_leaves_nothing_behind
    run_on do |on|
      endless = Enumerator.new { |out| out << 1 while true }
      Raffia::Scope.open do |scope|
        caller = scope.spawn { Raffia.each(endless, **on) { sleep(0.001) } }
        sleep(0.01)
        caller.cancel(:enough)
        assert_raises(Raffia::Cancelled) { caller.value }
      end
    end
  end

  def test_waits_overlap
    run_on(workers: nil) do |on|
      together = Raffia::Barrier.new(50)
      assert_equal((1..50).to_a, Raffia.map(1..50, **on) { |n| together.wait && n })
    end
  end

  def test_everything_stays_in_the_callers_thread
    run_on { |on| assert_equal([Thread.current], Raffia.map(1..10, **on) { Thread.current }.uniq) }
  end

  def test_the_limit_is_how_many_fibers_there_are
    run_on(workers: nil, limit: 3) do |on|
      at_once = most = 0
      Raffia.each(1..30, **on) do
        most = [most, at_once += 1].max
        sleep(0.001)
        at_once -= 1
      end
      assert_equal(3, most)
    end
  end

  def test_many_items_need_few_fibers
    run_on(workers: nil) do |on|
      assert_operator(Raffia.map(1..2_000, **on) { sleep(0) && Fiber.current.object_id }.uniq.size,
        :<=, 256)
    end
  end

  def test_calls_nest
    run_on do |on|
      assert_equal([[2, 3], [4]], Raffia.map([[1, 2], [3]],
        **on) { |row| Raffia.map(row, **on) { |n| sleep(0) && n + 1 } })
    end
  end

  # The work is on another thread then, which must not go on with it.
  def test_a_time_limit_in_a_blocking_fiber_below_a_scheduler
    run_on do |on|
      [Timeout.method(:timeout), Raffia.method(:timeout)].each do |limit|
        ended = []
        Fiber.new(blocking: true) do
          assert_raises(Timeout::Error, Raffia::TimeoutError) do
            limit.call(0.1) { Raffia.map([1], **on) { ended << wait_and_tell } }
          end
          assert_equal [:cleaned], cleaned
          cleaned.clear
        end.resume
        assert_empty ended
      end
    end
  end

  def cleaned = @cleaned ||= []

  def wait_and_tell
    sleep
  ensure
    cleaned << :cleaned
  end

  # A blocking fiber cannot be switched, and its thread has a scheduler already.
  def test_from_a_blocking_fiber_below_a_scheduler
    run_on do |on|
      assert_equal([2], Fiber.new(blocking: true) { Raffia.map([1], **on) { |n| n + 1 } }.resume)
    end
  end
end

TaskCase.run(PoolFibersContract)

# Without a scheduler around.
class PoolFibersAloneTest < Raffia::TestCase
  include PoolContract

  def strategy = :fibers
end

# How many fibers there are at once is what the limit says, however many tasks there are.
class PoolFibersCrowdTest < Raffia::TestCase
  TASKS = 100_000

  # Counts who is at work, and every so often the fibers that are alive.
  class Census
    attr_reader :most, :fibers

    def initialize = @now = @most = @fibers = @seen = 0

    def work
      @now += 1
      @most = @now if @now > @most
      sleep(0)
      if ((@seen += 1) % 5_000).zero?
        @fibers = [@fibers, ObjectSpace.each_object(Fiber).count(&:alive?)].max
      end
      @now -= 1
    end
  end

  # Other fibers of a loop: its own, an alarm's, those of threads.
  SLACK = 20

  def assert_few(census, limit)
    assert_operator(census.most, :<=, limit)
    assert_operator(census.fibers - @before, :<=, limit + SLACK)
  end

  def setup
    GC.start # fibers of other tests that nobody has collected
    @before = ObjectSpace.each_object(Fiber).count(&:alive?)
  end

  def test_a_hundred_thousand_items_of_a_stream_that_never_ends
    census = Census.new
    found = Raffia.each((1..).lazy, on: :fibers, limit: 50) do |n|
      break n if n == TASKS

      census.work
    end
    assert_equal(TASKS, found)
    assert_few(census, 50)
  end

  def test_a_hundred_thousand_pieces_of_work_for_a_pool
    census = Census.new
    Raffia::Pool.open(on: :fibers, workers: 50) do |pool|
      assert_equal(TASKS, pool.map(1..TASKS) { census.work && 1 }.size)
      assert_operator(pool.stats[:most_workers], :<=, 50)
      assert_operator(pool.stats[:most_waiting], :<=, Raffia::Pool::QUEUE)
    end
    assert_few(census, 50)
  end

  # Each item has its own time, and the others go on.
  def test_a_deadline_for_each_task
    late = Raffia.map(1..100, on: :fibers, limit: 10) do |n|
      Raffia.timeout(0.02) { (n % 10).zero? ? sleep : n }
    rescue Raffia::TimeoutError
      :late
    end
    assert_equal({late: 10}, late.tally.slice(:late))
  end
end

# A thread with a loop cannot be had without a descriptor.
class PoolFibersWithoutALoopTest < Raffia::TestCase
  def test_what_was_handed_in_fails
    assert_equal "[Errno::EMFILE, true]\n", output_of(<<~RUBY)
      require "raffia"
      pool = Raffia::Pool.new(on: :fibers, work: ->(n) { n }, workers: 2)
      Process.setrlimit(:NOFILE, 3)
      future = pool.submit(1)
      ended = future.wait(30)
      error = future.value rescue $!.class
      p [error, ended ? true : false]
      exit!(0)
    RUBY
  end
end

# A program that requires the pool only has no scheduler to run fibers on.
class PoolFibersRunnerTest < Raffia::TestCase
  def test_without_any_scheduler_the_message_says_what_to_do
    lib = File.expand_path("../../../lib", __dir__)
    output = IO.popen([RbConfig.ruby, "-I#{lib}", "-rraffia/pool", "-e",
      "Raffia.map([1]) { |n| n }", err: %i[child out]], &:read)
    refute_predicate($?, :success?)
    assert_match(/require "raffia".*Raffia::ConfigError/, output)
  end
end
