# frozen_string_literal: true

require "test_helper"
require "raffia/pool"

# The test kills a worker every 50 ms, at random, while the pool works on small and on long items. A
# caller that lost its item submits it again. RAFFIA_KILL_STORM says for how many seconds.
class ProcessStormTest < Raffia::TestCase
  SECONDS = Float(ENV.fetch("RAFFIA_KILL_STORM", "2"))
  SEED = Integer(ENV.fetch("RAFFIA_STORM_SEED", Random.new_seed % 1_000_000))
  PAUSE = 0.05
  # One of so many items is too long for a pipe.
  LONG = 20
  # In a call that continues while several are killed.
  ITEMS = 1_000

  def self.item(n) = (n % LONG).zero? ? "#{n} #{"x" * 100_000}" : n.to_s

  def self.work(text)
    sleep(0.0005)
    text.reverse
  end

  def setup
    @random = Random.new(SEED)
    @kills = 0
  end

  def kill_somebody
    victim = TestSupport::Holdings.children.keys.map { |_, pid| pid.to_i }.sample(random: @random)
    ::Process.kill(:KILL, victim) && @kills += 1 if victim
  rescue Errno::ESRCH
    nil
  end

  def storm
    over = false
    killer = Thread.new do
      until over
        sleep(PAUSE)
        kill_somebody
      end
    end
    yield
  ensure
    over = true
    killer.join
  end

  # Databases of other tests have names there, too.
  def names
    return [] unless File.directory?("/dev/shm")

    Dir.children("/dev/shm").grep_v(/\APostgreSQL\./).sort
  end

  def mappings = File.read("/proc/self/maps").scan("memfd:raffia").size

  # Nothing with a name, and no mapping, is left when no result is held any more.
  def assert_nothing_left
    before = names
    assert_no_leaks { Thread.new { yield }.join }
    assert_equal(before, names)
    wait_until { Thread.new { GC.start }.join && mappings.zero? }
  end

  def test_every_result_arrives_once
    assert_nothing_left do
      pool = Raffia::Pool.new(on: :processes, workers: 4, queue: 64) do |text|
        ProcessStormTest.work(text)
      end
      done = Hash.new(0)
      lost = 0
      storm do
        give_up = TestSupport.now + SECONDS
        waiting = (0...128).to_h { |n| [n, pool.submit(ProcessStormTest.item(n))] }
        until waiting.empty?
          number, future = waiting.shift
          assert(future.wait(60), "item #{number} hangs (seed #{SEED})")
          if future.status == :done
            assert_equal(ProcessStormTest.item(number).reverse.hash, future.value.hash)
            done[number] += 1
            number = done.size + waiting.size
            next if TestSupport.now > give_up
          else
            assert_kind_of(Raffia::WorkerDied, future.error)
            lost += 1
          end
          waiting[number] = pool.submit(ProcessStormTest.item(number))
        end
      end
      assert_equal((0...done.size).to_a, done.keys.sort)
      assert_equal([1], done.values.uniq)
      assert_operator(@kills, :>, 0)
      counts = pool.stats
      assert_equal([done.size, lost], [counts[:done], counts[:failed]])
    ensure
      pool&.shutdown
    end
  end

  # After each kill, every item is in the results once and in its place: only the call itself
  # submits items again.
  def test_retries_make_good_what_was_killed
    assert_nothing_left do
      storm do
        give_up = TestSupport.now + SECONDS
        replaced = 0
        until TestSupport.now > give_up
          items = Array.new(ITEMS) { |n| ProcessStormTest.item(n) }
          pids = Raffia.map(items.each, on: :processes, workers: 3, retries: ITEMS) do |text|
            [ProcessStormTest.work(text), ::Process.pid]
          end
          assert_equal(items.map(&:reverse).hash, pids.map(&:first).hash)
          replaced += pids.map(&:last).uniq.size - 3
        end
        assert_operator(@kills, :>, 0)
        assert_operator(replaced, :>, 0)
      end
    end
  end

  # Each call sees its error, and the next one starts from nothing.
  def test_calls_that_are_hit_leave_nothing
    assert_nothing_left do
      storm do
        give_up = TestSupport.now + SECONDS
        calls = 0
        until TestSupport.now > give_up
          items = Array.new(100) { |n| ProcessStormTest.item(n) }
          begin
            results = Raffia.map(items.each, on: :processes, workers: 3) do |text|
              ProcessStormTest.work(text)
            end
            assert_equal(items.map(&:reverse).hash, results.hash)
          rescue Raffia::WorkerDied => error
            assert_equal("SIGKILL", error.signal)
          end
          calls += 1
        end
        assert_operator(calls, :>, 0)
      end
    end
  end
end
