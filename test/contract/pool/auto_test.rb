# frozen_string_literal: true

require_relative "pool_contract"
require "raffia"

# The contract over :auto as it chooses by itself: most of these calls are too small to leave the
# caller.
class PoolAutoTest < Raffia::TestCase
  include PoolContract

  def strategy = :auto

  def test_a_pool_that_stays_needs_a_strategy
    error = assert_raises(Raffia::ConfigError) { Raffia::Pool.new(on: :auto) { |n| n } }
    assert_match(/name a strategy/, error.message)
  end
end

# And over the hand-over: each call leaves the caller after its first chunk.
module PoolAutoMoves
  include PoolContract

  def strategy
    on = self.class::CHOICE
    Raffia::Pool::Auto.new(enough: 0.0, ramp: false) do |measurement, machine|
      Raffia::Pool::Auto::Choice.of(measurement, machine, on: on)
    end
  end

  def ractors? = self.class::CHOICE == :ractors

  def test_the_first_chunk_is_worked_on_here_and_the_others_are_not
    run_on do |on|
      here = [Process.pid, Thread.current.object_id, Fiber.current.object_id]
      places = Raffia.map(1..40, **on) do
        [Process.pid, Thread.current.object_id, Fiber.current.object_id]
      end
      assert_equal(40, places.size)
      assert_equal(here, places.first)
      refute_includes(places.last(30), here)
    end
  end
end

class PoolAutoThreadsTest < Raffia::TestCase
  CHOICE = :threads
  include PoolAutoMoves
end

class PoolAutoProcessesTest < Raffia::TestCase
  CHOICE = :processes
  include PoolAutoMoves
end

# The caller continues the work while the workers start.
class PoolAutoRampTest < Raffia::TestCase
  include PoolContract

  def strategy
    Raffia::Pool::Auto.new(enough: 0.0) do |measurement, machine|
      Raffia::Pool::Auto::Choice.of(measurement, machine, on: :processes)
    end
  end
end

class PoolAutoFibersTest < Raffia::TestCase
  CHOICE = :fibers
  include PoolAutoMoves
end

# In the caller's own loop.
class PoolAutoFibersUnderSchedulerTest < Raffia::TestCase
  CHOICE = :fibers
  include PoolAutoMoves

  def surround(&) = Raffia.run(&)
end

class PoolAutoRactorsTest < Raffia::TestCase
  CHOICE = :ractors
  include PoolAutoMoves

  def setup
    Raffia::Executor::Ractors::PortableBlock.available? ||
      skip("without the extension a block gets a Ractor for each item")
  end
end
