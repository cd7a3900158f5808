# frozen_string_literal: true

require "test_helper"
require "raffia/actor"
require "raffia/simulation"

module Raffia
  # Raffia keeps actors, their threads and schedulers for the process; here for each run.
  class SimulationRactorLocalsTest < TestCase
    class Sum < Actor
      def add(one, other) = one + other
    end

    def test_runs_of_actors_in_threads_and_with_names_are_equal
      report = Simulation.explore(runs: 3, seed: 1, preempt_in: ["**/lib/raffia/actor/**"],
        ignore: [:leaks]) do
        Raffia.run do
          sum = Sum.spawn(name: :sum, on: :threads)
          raise "wrong" unless sum.add(1, 2) == 3
        end
      end
      assert_predicate report, :success?
      assert_equal 3, report.runs
      assert_nil Actor[:sum]
    end

    def test_actors_of_the_background_loop_end_with_the_run
      2.times do
        value, names = Simulation.run(ignore: [:leaks]) do
          sum = Sum.spawn(name: :background)
          [sum.add(3, 4), Actor.names]
        end
        assert_equal [7, [:background]], [value, names]
      end
      assert_empty Actor.names
    end

    def test_real_actors_are_not_those_of_a_run
      Raffia.run do
        real = Sum.spawn(name: :sum, on: :threads)
        Simulation.run { Raffia.run { Sum.spawn(name: :sum).add(1, 1) } }
        assert_equal 5, real.add(2, 3)
      end
    end

    def test_configuration_is_shared
      events = []
      subscription = Raffia.instrument.subscribe("simulated.raffia") { events << 1 }
      Simulation.run { Raffia.instrument.emit("simulated.raffia") }
      assert_equal [1], events
    ensure
      subscription&.cancel
    end
  end
end
