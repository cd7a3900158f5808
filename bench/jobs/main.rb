# frozen_string_literal: true

# Job systems side by side: CPU time of the worker for each job, and of the database's server beside
# it, throughput, latency, memory, and what goes on while there is nothing to do. See
# docs/performance.md.
#
#     rake bench:jobs
#     rake bench:jobs:page         # the tables of docs/performance.md, from the last results
#
# Settings: QUICK=1 (a smoke run), TARGETS=raffia-redis,sidekiq, WORKLOADS=noop, RUNS=2, YJIT=0.
#     ruby -Ilib bench/jobs/main.rb --json
#
# RAFFIA_BENCH_GEMS is the folder where the gems of the others, and sqlite3, redis-client and pg,
# are (../harness/gems.rb); redis-server and PostgreSQL are Debian's. With RUNS=2 everything takes
# about 10 minutes; `million` is only run when it is asked for. Nothing else should run meanwhile.

require_relative "suite"
require_relative "../harness/main"

Bench::Main.new(JobsBench::SUITE).call(ARGV, ENV)
