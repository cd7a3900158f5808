# frozen_string_literal: true

# A limit that is as large as all workers together (riverqueue/river#1145): 4 processes run 10 jobs
# of a second at a time, without a limit, and with one of 40.
#
#     ruby -Ilib bench/jobs_limits.rb [redis folder postgres]
#
# DURATION=30, SECONDS=1 (of a job). The program needs the gems of the stores and their servers, as
# bench/jobs/main.rb does.

require "raffia/jobs"
require "tmpdir"
require_relative "jobs/databases"
require_relative "jobs/usage"

module JobsBench
  # See above.
  class Limits
    DURATION = Float(ENV.fetch("DURATION", "30"))
    SECONDS = Float(ENV.fetch("SECONDS", "1"))
    PROCESSES = 4
    AT_A_TIME = 10
    ALL = PROCESSES * AT_A_TIME
    WARM = 3 # seconds until all processes work
    JOB = File.join(__dir__, "jobs/limited_job.rb")
    ROOT = File.expand_path("..", __dir__)

    def initialize(database, limit)
      @database = database
      @starts = "#{database.folder}/starts"
      @env = {"SECONDS" => SECONDS.to_s, "STARTS" => @starts, "LIMIT" => limit&.to_s}
    end

    # @return [Hash] figures
    def measure
      enqueue
      worker = start
      sleep(0.05) until File.size?(@starts)
      sleep(WARM + DURATION + SECONDS)
      cpu = Usage.new(worker).cpu + Usage.new(@database.pid).cpu
      figures(File.readlines(@starts).map { |line| line.split.map { |text| Float(text) } }, cpu)
    ensure
      stop(worker) if worker
    end

    private

    def enqueue
      ENV.update(@env)
      load(JOB)
      Raffia::Jobs.store = @database.url
      jobs = (ALL * (WARM + DURATION + 10) / SECONDS).ceil
      Array.new(jobs) { |number| [number] }.each_slice(1000) { |some| LimitedJob.perform_bulk(some) }
    end

    def start
      Process.spawn(@env, RbConfig.ruby, "-I#{ROOT}/lib", "#{ROOT}/exe/raffia", "work", "-r", JOB,
        "--store", @database.url, "--processes", PROCESSES.to_s, "-c", AT_A_TIME.to_s,
        in: File::NULL, out: "#{@database.folder}/log", err: %i[child out])
    end

    def stop(worker)
      Process.kill(:TERM, worker)
      Process.wait(worker)
    end

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
