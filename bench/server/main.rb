# frozen_string_literal: true

# The servers side by side: CPU time, throughput, latency, memory, system calls and allocations for
# each request. See docs/performance.md.
#
#     rake bench:server
#     rake bench:server:page       # the tables of docs/performance.md, from the last results
#
# Settings: QUICK=1 (a smoke run), TARGETS=raffia,puma, WORKLOADS=hello,json, RUNS=2, YJIT=0,
# SYSCALLS=0.
#     ruby -Ilib bench/server/main.rb --json
#
# RAFFIA_BENCH_GEMS is the folder where the gems of the others are (../harness/gems.rb); nginx, Go
# (package golang-go), a C compiler and, for HTTP/2 (WORKLOADS=h2_), h2load (package nghttp2-client)
# and libnghttp2-dev are Debian's. With RUNS=2 everything takes about half an hour. Nothing else
# should run meanwhile.

require_relative "suite"
require_relative "../harness/main"

Bench::Main.new(ServerBench::SUITE).call(ARGV, ENV)
