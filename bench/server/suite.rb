# frozen_string_literal: true

require_relative "../harness/machine"
require_relative "../harness/suite"
require_relative "plan"
require_relative "targets"
require_relative "tools"

module ServerBench
  # Targets and workloads of this benchmark.
  SUITE = Bench::Suite.new(name: "server", targets: Targets::ALL, plans: Plans::ALL,
    prepare: -> { Tools.compile },
    trouble: ->(plan) { Bench::Machine.trouble(plan) || plan.trouble },
    related: %w[rack nio4r async io-event itsi-scheduler],
    columns: %i[waiting syscalls allocations pss memory], boot: 30)
end
