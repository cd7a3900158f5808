# frozen_string_literal: true

require_relative "simulation_case"

# Actors on fibers and on threads, and their supervisors, keep their promises in each schedule.
class ActorSimulationTest < Simulations::SimulationCase
  models_of "actor"
end
