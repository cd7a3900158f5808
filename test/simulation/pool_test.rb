# frozen_string_literal: true

require_relative "simulation_case"

# Pools on fibers and on threads keep their promises in each schedule.
class PoolSimulationTest < Simulations::SimulationCase
  models_of "pool"
end
