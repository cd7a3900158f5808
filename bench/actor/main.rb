# frozen_string_literal: true

# The actors side by side: what a message costs, an actor that waits, and one that fails. See
# docs/performance.md.
#
#     rake bench:actor
#     rake bench:actor:page         # the tables of docs/performance.md, from the last results
#
# Settings: QUICK=1 (a smoke run), TARGETS=raffia,celluloid, WORKLOADS=call,ring, RUNS=5, YJIT=0.
#
# RAFFIA_BENCH_GEMS is the folder where the gems of the others are (../harness/gems.rb): celluloid,
# concurrent-ruby-edge; Elixir is Debian's package. Nothing else should run meanwhile.

require_relative "suite"
require_relative "../harness/main"

Bench::Main.new(ActorBench::SUITE).call(ARGV, ENV)
