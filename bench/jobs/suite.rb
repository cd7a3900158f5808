# frozen_string_literal: true

require_relative "../harness/machine"
require_relative "../harness/suite"
require_relative "plan"
require_relative "targets"

module JobsBench
  # Targets and workloads of this benchmark.
  SUITE = Bench::Suite.new(name: "jobs", targets: Targets::ALL, plans: Plans::ALL,
    related: %w[rails activerecord redis-client sqlite3 pg],
    usual_plans: Plans::ALL.values.reject(&:long?), smoke: false, columns: %i[waiting pss],
    boot: ->(plan) { plan.long? ? 600 : 40 },
    figures: {
      server_us: "CPU time of the database's server, us for each operation",
      requests: "requests to Redis for each job, of 1,000",
      fsyncs: "flushes to the disk for each job, of worker and server",
      calls: "system calls of the worker for each job",
      idle_requests: "requests to Redis in a second without a job",
      idle_fsyncs: "flushes in a second without a job",
      idle_calls: "system calls of the worker in a second without a job",
      put_rate: "enqueued in a second, the last tenth of a million",
      size_mib: "MiB that a million jobs take",
      first_rate: "jobs in a second, the first tenth of a million",
      last_rate: "jobs in a second, the last tenth of a million"
    })
end
