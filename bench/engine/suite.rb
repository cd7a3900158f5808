# frozen_string_literal: true

require_relative "../harness/machine"
require_relative "../harness/suite"
require_relative "plan"
require_relative "semantics"
require_relative "targets"
require_relative "tools"

module EngineBench
  # Targets and workloads of this benchmark.
  SUITE = Bench::Suite.new(name: "engine", targets: Targets::ALL, usual: Targets::USUAL,
    plans: Plans::ALL,
    prepare: -> { Tools.compile }, trouble: ->(plan) { Bench::Machine.trouble(plan) },
    semantics: ->(*arguments) { Semantics.all(*arguments) }, related: %w[io-event timeout],
    columns: %i[syscalls allocations memory])
end
