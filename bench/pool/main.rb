# frozen_string_literal: true

# The pools side by side: what it costs to have items worked on elsewhere, and how long it takes.
# See docs/performance.md.
#
#     rake bench:pool
#     rake bench:pool:page         # the tables of docs/performance.md, from the last results
#
# Settings: QUICK=1 (a smoke run), TARGETS=processes,auto, WORKLOADS=tiny,big, RUNS=5, YJIT=0.
#
# RAFFIA_BENCH_GEMS is the folder where the gems of the others are (../harness/gems.rb); Python and
# joblib come from Debian's packages python3 and python3-joblib. Nothing else should run meanwhile.

require_relative "suite"
require_relative "../harness/main"

Bench::Main.new(PoolBench::SUITE).call(ARGV, ENV)
