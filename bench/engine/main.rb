# frozen_string_literal: true

# The engines side by side: CPU time, throughput, memory, system calls and allocations for each
# operation. See docs/performance.md.
#
#     rake bench:engine
#     rake bench:engine:page       # the tables of docs/performance.md, from the last results
#
# Settings: QUICK=1 (a smoke run), TARGETS=raffia,async, WORKLOADS=echo,http, RUNS=5, YJIT=0,
# SYSCALLS=0.
#
# RAFFIA_BENCH_GEMS is the folder where the gems of the others are (../harness/gems.rb). Nothing
# else should run meanwhile.

require_relative "suite"
require_relative "../harness/main"

Bench::Main.new(EngineBench::SUITE).call(ARGV, ENV)
