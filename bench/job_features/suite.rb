# frozen_string_literal: true

require_relative "../harness/machine"
require_relative "../harness/suite"
require_relative "plans"
require_relative "targets"

module JobFeaturesBench
  # Targets and workloads of this benchmark.
  SUITE = Bench::Suite.new(name: "job_features", targets: Targets::ALL, plans: Plans::ALL,
    related: %w[rails activerecord redis-client sqlite3 pg trilogy async], smoke: false,
    boot: ->(plan) { (plan.way == :tenants) ? 300 : 150 },
    figures: {server_us: "CPU time of the server, us for each operation",
              put_us: "us of CPU to enqueue", put_server_us: "the server's part of that",
              worker_us: "the worker's part of a lone job, us", p50_us: "p50, us",
              p99_us: "p99, us", idle_mib: "MiB idle", idle_anon_mib: "of it not of files",
              anon_mib: "MiB not of files, after 10,000 jobs"})
end
