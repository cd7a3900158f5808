# frozen_string_literal: true

require_relative "../harness/suite"
require_relative "plan"
require_relative "targets"

module PoolBench
  # Targets and workloads of this benchmark.
  SUITE = Bench::Suite.new(name: "pool", targets: Targets::ALL, plans: Plans::ALL,
    columns: %i[seconds], related: %w[ruby-progressbar])
end
