# frozen_string_literal: true

require_relative "../harness/machine"
require_relative "../harness/suite"
require_relative "application"
require_relative "plan"
require_relative "targets"

module RailsBench
  # Targets and workloads of this benchmark.
  SUITE = Bench::Suite.new(name: "rails", targets: Targets::ALL, plans: Plans::ALL, boot: 90,
    smoke: false,
    prepare: -> { Application.prepare }, columns: %i[waiting pss])
end
