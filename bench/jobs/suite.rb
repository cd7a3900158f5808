# frozen_string_literal: true

require_relative "../harness/machine"
require_relative "../harness/suite"
require_relative "plan"
require_relative "targets"

module JobsBench
  # What is compared, at what.
  SUITE = Bench::Suite.new(name: "jobs", targets: Targets::ALL, plans: Plans::ALL, related: %w[rails activerecord redis-client sqlite3 pg],
    usual_plans: Plans::ALL.values.reject(&:long?), smoke: false, columns: %i[waiting pss], boot: ->(plan) { plan.long? ? 600 : 40 },
    figures: {
      server_us: "CPU time of the database's server, us for each operation", requests: "Requests to Redis, for each job, one after the other in a batch of 1,000",
      fsyncs: "Flushes to the disk for each job, of worker and server", calls: "System calls of the worker for each job",
      idle_requests: "Requests to Redis in a second without a job", idle_fsyncs: "Flushes to the disk in a second without a job",
      idle_calls: "System calls of the worker in a second without a job", size_mib: "Size of the backlog, MiB",
      first_rate: "Jobs in a second, the first tenth of the backlog", last_rate: "Jobs in a second, the last tenth of the backlog",
      put_rate: "Enqueued in a second, the last tenth of the backlog"
    })
end
