# frozen_string_literal: true

# Raffia itself in simulation: the models of test/simulation, which `rake test` runs a few times
# each. A failure is printed with the line that runs it again.
desc "Run the models of test/simulation with new seeds; MINUTES=60, MODEL=part of a name, SEED= " \
  "RUNS= STRATEGY= one again"
task simulate: :compile do
  exec(RbConfig.ruby, "script/simulate.rb")
end

namespace :simulate do
  desc "Does a model of test/simulation catch a component without one lock, wake-up or check? " \
    "FILE=part of a path (task/channel, task/channel:135), RUNS=200 of each model"
  task mutants: :compile do
    exec(RbConfig.ruby, "script/simulate/mutants.rb")
  end
end
