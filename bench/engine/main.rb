# frozen_string_literal: true

# The engines side by side: CPU time, throughput, memory, system calls and allocations for each operation. See docs/performance.md.
#
#     rake bench:engine            # QUICK=1 for a smoke run, TARGETS=raffia,async WORKLOADS=echo,http RUNS=5 YJIT=0 SYSCALLS=0
#     rake bench:engine:page       # the tables of docs/performance.md, from the last results
#
# RAFFIA_BENCH_GEMS is the folder where the gems of the others are (gems.rb). Nothing else should run meanwhile.

require "fileutils"
require_relative "campaign"
require_relative "options"
require_relative "page"
require_relative "report"

module EngineBench
  # See above.
  module Main
    # A smoke run's figures mean nothing, so they are not kept among the results.
    FOLDERS = {true => File.join(Run::ROOT, "tmp/bench"), false => File.join(Run::ROOT, "bench/results")}.freeze

    module_function

    def call(arguments, env)
      return Page.new(Summary.new(read(file(false)))).write if arguments == ["page"]

      options = Options.from(env)
      data = Campaign.new(options).call
      save(data, file(options.quick))
      summary = Summary.new(read(file(options.quick)))
      puts Report.new(summary)
      exit false if options.quick && summary.ours_failed?
    end

    def file(quick) = File.join(FOLDERS[quick], "engine-#{RUBY_VERSION}.json")

    def read(path) = JSON.parse(File.read(path), symbolize_names: true)

    def save(data, path)
      FileUtils.mkdir_p(File.dirname(path))
      File.write(path, JSON.pretty_generate(data))
      warn "written to #{path}"
    end
  end
end

EngineBench::Main.call(ARGV, ENV)
