# frozen_string_literal: true

# A default Rails application in production, on Raffia, Puma and Falcon: CPU time for each request,
# latency at a fixed rate, memory. See docs/performance.md.
#
#     rake bench:rails
#     rake bench:rails:page        # the tables of docs/performance.md, from the last results
#
# Settings: QUICK=1 (a smoke run), TARGETS=raffia,puma-3, WORKLOADS=up_8,html_8, RUNS=2.
#
# The application is made by `rails new` in the user's cache, with the newest gems of its own
# Gemfile, once. It needs wrk and PostgreSQL of Debian. Nothing else should run meanwhile.

require_relative "suite"
require_relative "../harness/main"

Bench::Main.new(RailsBench::SUITE).call(ARGV, ENV)
