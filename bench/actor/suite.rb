# frozen_string_literal: true

require_relative "../harness/suite"
require_relative "plan"
require_relative "targets"

module ActorBench
  # Targets and workloads of this benchmark.
  SUITE = Bench::Suite.new(name: "actor", targets: Targets::ALL, plans: Plans::ALL,
    columns: %i[allocations],
    figures: {kib: "Memory, KiB for each actor that is idle"}, related: %w[concurrent-ruby timers])
end
