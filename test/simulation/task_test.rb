# frozen_string_literal: true

require_relative "simulation_case"

# Raffia's primitives between tasks and threads keep their promises in each schedule.
class TaskSimulationTest < Simulations::SimulationCase
  models_of "task"
end
