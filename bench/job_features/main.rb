# frozen_string_literal: true

# What jobs can do, beside Sidekiq, Solid Queue (threads and fibers), GoodJob, gush, geneva_drive
# and acidic_job: CPU time of a job, with a limit and with a rate; of a step of a workflow and of a
# durable function; the latency of a small tenant; a lone job; memory. See docs/performance.md.
#
#     rake bench:job_features
#     rake bench:job_features:page   # the tables of docs/performance.md, from the last results
#
# Settings: QUICK=1 (a smoke run), TARGETS=raffia-redis,sidekiq, WORKLOADS=limited, RUNS=3, YJIT=0.
#
# RAFFIA_BENCH_GEMS is the folder where the others' gems are, with railties, async, sqlite3,
# redis-client, pg and trilogy (../harness/gems.rb). The servers are Debian's: bin/setup --server.

require_relative "suite"
require_relative "page"
require_relative "../harness/main"

Bench::Main.new(JobFeaturesBench::SUITE, page: JobFeaturesBench::Page).call(ARGV, ENV)
