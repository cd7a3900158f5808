# frozen_string_literal: true

require "socket"
require_relative "pool_contract"

# Worker processes are replaced at their limits, and callers do not notice.
class PoolRecyclingTest < Raffia::TestCase
  def run_on(**options)
    assert_no_leaks { yield({on: :processes, workers: 2}.merge(options)) }
  end

  # pid => how many items it did
  def shares(items, **on)
    pids = Raffia.map(items, **on) { ::Process.pid }
    assert_equal(items.to_a.size, pids.size)
    pids.tally
  end

  def test_so_many_items_and_no_more
    run_on { |on| assert_equal([3, 3, 3], shares(1..9, max_tasks: 3, **on, workers: 1).values) }
    run_on { |on| assert_equal([1] * 8, shares((1..8).to_a, max_tasks: 1, **on).values) }
  end

  def test_chunks_respect_the_limit
    run_on do |on|
      all = shares(1..3_000, max_tasks: 100, **on)
      assert_operator(all.values.max, :<=, 100)
      assert_operator(all.size, :<=, 40, "little is lost between the last chunk and the limit")
      assert_operator(shares((1..500).each, max_tasks: 7, chunk: 100, **on).values.max, :<=, 7)
    end
  end

  def test_a_pool_replaces_its_workers_and_counts_them
    assert_no_leaks do
      Raffia::Pool.open(on: :processes, workers: 1, max_tasks: 2,
        work: ->(_) { ::Process.pid }) do |pool|
        pids = Array.new(7) { |number| pool.submit(number).value }
        assert_equal([2, 2, 2, 1], pids.tally.values)
        assert_equal(3, pool.stats[:replaced])
      end
    end
  end

  def test_results_stay_in_order_and_errors_come_through
    run_on(max_tasks: 2) do |on|
      assert_equal((2..41).to_a, Raffia.map((1..40).each, **on) { |n| n + 1 })
      assert_equal(820, Raffia.reduce(1..40, **on) { |a, b| a + b })
      error = assert_raises(ArgumentError) do
        Raffia.each(1..40, **on) { |n| raise ArgumentError, "no" if n == 33 }
      end
      assert_equal(33, error.item)
      assert_equal(7, Raffia.each(1..40, **on) { |n| break n if n == 7 })
    end
  end

  def test_memory_of_its_own
    run_on(workers: 1, chunk: 1, max_memory: 20_000_000) do |on|
      keep = []
      sizes = Raffia.map((1..20).to_a, **on) do |n|
        [::Process.pid, (keep << "x" * 10_000_000).size]
      end
      # It is seen after the third, when the fourth may have been handed ahead already; later where
      # what was inherited of a large parent is given back meanwhile.
      assert_operator(sizes.map(&:last).max, :<=, 15)
      assert_operator(sizes.map(&:first).uniq.size, :>=, 2)
    end
  end

  def test_inherited_memory_does_not_count
    run_on(workers: 1, chunk: 1, max_memory: 20_000_000) do |on|
      inherited = "x" * 50_000_000
      assert_equal(1, shares(1..5, **on).size)
      assert_equal(50_000_000, inherited.size)
    end
  end

  # The child of a large parent may give back what it inherited, and then take as much for itself.
  def test_memory_counts_from_the_least_that_was_seen
    mine, its = UNIXSocket.pair
    pid = ::Process.fork { mine.close || hold_and_let_go(its) }
    its.close
    say = lambda do |word|
      mine.puts(word)
      mine.gets
    end
    say.call("hold")
    policy = Raffia::Process::RecyclePolicy.new(max_memory: 20_000_000, memory: :growth)
    usage = policy.track(pid)
    refute(usage.reason)
    say.call("let go")
    refute(usage.reason)
    say.call("hold")
    assert(usage.reason)
  ensure
    mine&.close
    ::Process.wait(pid) if pid
  end

  def hold_and_let_go(io)
    held = nil
    while (word = io.gets)
      held = if word == "hold\n"
        IO::Buffer.new(50_000_000, IO::Buffer::MAPPED).clear(1)
      else
        held&.free
      end
      io.puts("done")
    end
  ensure
    exit!(0)
  end

  def test_age
    run_on(workers: 1, chunk: 1) do |on|
      assert_equal([1] * 4, shares(1..4, max_age: 0, **on).values)
      assert_equal([4], shares(1..4, max_age: 3600, **on).values)
    end
  end

  def test_a_replacement_that_dies_is_named
    run_on(workers: 1, max_tasks: 2) do |on|
      error = assert_raises(Raffia::WorkerDied) do
        Raffia.each(1..9, **on) { |n| ::Process.kill(:KILL, ::Process.pid) if n == 6 }
      end
      assert_equal(6, error.item)
    end
  end

  def test_where_no_more_can_be_forked_the_old_one_stays
    out = output_of(<<~RUBY)
      require "raffia/pool"
      # Only the first call of fork(2) succeeds.
      forks = 0
      failing = Module.new do
        define_method(:_fork) { ((forks += 1) > 1) ? raise(Errno::EAGAIN, "fork(2)") : super() }
      end
      Process.singleton_class.prepend(failing)
      p Raffia.map(1..6, on: :processes, workers: 1, max_tasks: 2) { Process.pid }.tally.values
    RUBY
    assert_equal("[6]\n", out)
  end
end
