# frozen_string_literal: true

# Runs the models of test/simulation until the time is up, each again and again with a new seed.
# A failure is printed with the line that runs it again; the others go on. `rake simulate` runs it.
root = File.expand_path("..", __dir__)
$LOAD_PATH.unshift("#{root}/lib", "#{root}/test")
require "simulation/model"
require_relative "simulate/command"

exit Simulations::Command.new(ENV).call
