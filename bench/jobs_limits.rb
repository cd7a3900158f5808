# frozen_string_literal: true

# A limit that is as large as all workers together (riverqueue/river#1145): 4 processes run 10 jobs
# of a second at a time, without a limit, and with one of 40.
#
#     ruby -Ilib bench/jobs_limits.rb [redis folder postgres]
#
# DURATION=30, SECONDS=1 (of a job). The program needs the gems of the stores and their servers, as
# bench/jobs/main.rb does.

require "tmpdir"
require_relative "jobs/backlog_run"
require_relative "jobs/databases"

module JobsBench
  # See above.
  class Limits
    DURATION = Float(ENV.fetch("DURATION", "30"))
    SECONDS = Float(ENV.fetch("SECONDS", "1"))
    PROCESSES = 4
    AT_A_TIME = 10
    ALL = PROCESSES * AT_A_TIME
    WARM = BacklogRun::WARM

    def initialize(database, limit)
      @run = BacklogRun.new(database, "LimitedJob", "limited_job.rb",
        {"SECONDS" => SECONDS.to_s, "LIMIT" => limit&.to_s},
        ["--processes", PROCESSES.to_s, "-c", AT_A_TIME.to_s])
    end

    # @return [Hash] figures
    def measure
      figures(*@run.measure(ALL * (WARM + DURATION + 10) / SECONDS, WARM + DURATION + SECONDS))
    end

    private

    def figures(runs, cpu)
      from = runs.map(&:first).min + WARM
      {ended: runs.count { |_, ended| ended.between?(from, from + DURATION) },
       most: most_at_once(runs), cpu_ms: cpu * 1000 / (WARM + DURATION)}
    end

    def most_at_once(runs)
      count = 0
      runs.flat_map { |began, ended| [[began, 1], [ended, -1]] }
        .sort.map { |_, change| count += change }.max
    end
  end
end

names = ARGV.empty? ? JobsBench::Databases::ALL.keys : ARGV.map(&:to_sym)
puts "| store | limit | jobs done in #{JobsBench::Limits::DURATION.round} s | of what is possible | " \
  "most at once | CPU ms in a second |", "|---|---|---|---|---|---|"
names.product([nil, JobsBench::Limits::ALL]).each do |name, limit|
  pid = fork do
    Dir.mktmpdir("jobs-limits-", "/var/tmp") do |folder|
      File.chmod(0o755, folder)
      database = JobsBench::Databases::ALL.fetch(name).new(folder)
      database.start
      found = JobsBench::Limits.new(database, limit).measure
      possible = JobsBench::Limits::ALL * JobsBench::Limits::DURATION / JobsBench::Limits::SECONDS
      puts format("| %s | %s | %d | %.1f %% | %d | %.0f |", name, limit || "none", found[:ended],
        found[:ended] * 100 / possible, found[:most], found[:cpu_ms])
    ensure
      database&.stop
    end
  end
  Process.wait(pid)
end
