# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"

# Blocking fibers of a simulated thread: their waits are the thread's.
class SimulationBlockingFiberTest < Raffia::TestCase
  def test_a_blocking_fiber_sleeps_in_virtual_time
    Raffia::Simulation.run do |sim|
      Fiber.new(blocking: true) { sleep(3600) }.resume
      assert_equal(3600, sim.now)
      Fiber.blocking { sleep(3600) }
      assert_equal(7200, sim.now)
    end
  end

  def test_a_blocking_fiber_gets_its_arguments_and_returns_its_value
    Raffia::Simulation.run do
      fiber = Fiber.new(blocking: true, storage: {name: 1}) { |one, two| [one, two, Fiber[:name]] }
      assert_equal([3, 4, 1], fiber.resume(3, 4))
      assert_same(Fiber.current, Fiber.blocking { |current| current })
    end
  end

  def test_other_threads_run_while_a_blocking_fiber_waits_for_a_mutex
    Raffia::Simulation.run do
      mutex = Mutex.new
      held = Queue.new
      holder = Thread.new { mutex.synchronize { held.push(true) && sleep(1) } }
      held.pop
      assert_equal(:locked, Fiber.new(blocking: true) { mutex.synchronize { :locked } }.resume)
      holder.join
    end
  end

  def test_a_blocking_fiber_stops_the_other_fibers_of_its_thread
    Raffia::Simulation.run do |sim|
      order = []
      Raffia.run do |scope|
        scope.spawn { sleep(1) && order << [:other, sim.now] }
        Fiber.blocking { sleep(5) && order << [:blocking, sim.now] }
        assert(Fiber.current_scheduler)
      end
      assert_equal([[:blocking, 5.0], [:other, 5.0]], order)
    end
  end
end
