# frozen_string_literal: true

require_relative "simulation_case"

# The server keeps its promises in each schedule.
class ServerSimulationTest < Simulations::SimulationCase
  models_of "server"
end
