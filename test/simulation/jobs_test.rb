# frozen_string_literal: true

require_relative "simulation_case"

# Workers, batches, limits, unique jobs and leases keep their promises in each schedule, on the
# stores in memory and SQLite.
class JobsSimulationTest < Simulations::SimulationCase
  models_of "jobs"
end
