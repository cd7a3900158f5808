# frozen_string_literal: true

require "test_helper"
require "raffia/simulation"

# The error of a fiber is raised in the first fiber of its thread, as Ruby does.
class SimulationFiberErrorTest < Raffia::TestCase
  def test_an_error_reaches_its_thread
    [false, true].each do |late|
      assert_equal ["in a fiber", :end], Raffia::Simulation.run { story(late) }
      assert_equal ["in a fiber", :end], Thread.new { story(late) }.value
    end
  end

  def test_an_error_that_nobody_rescues_fails_the_run
    error = Raffia::Simulation.explore(runs: 20, seed: 1) do
      Raffia.run do
        Fiber.schedule { sleep(0.1) && raise("in a fiber") }
        sleep 1
      end
    end.failure.error
    assert_equal "in a fiber", error.message
    assert_instance_of RuntimeError, error
  end

  private

  def story(late)
    Raffia.run do
      Fiber.schedule { (late ? sleep(0.01) : true) && raise("in a fiber") }
      sleep 0.1
      []
    rescue => error
      [error.message]
    end.push(:end)
  end
end
