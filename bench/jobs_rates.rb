# frozen_string_literal: true

# Starts of a job with a rate of 100 in a second, run by 8 worker processes for a minute: how many
# there were, and the most in any window of a second.
#
#     ruby -Ilib bench/jobs_rates.rb [redis folder postgres]
#
# DURATION=60, PROCESSES=8, RATE=100, STYLE=window,bucket. The program needs the gems of the stores
# and their servers, as bench/jobs/main.rb does.

require "tmpdir"
require_relative "jobs/backlog_run"
require_relative "jobs/databases"

module JobsBench
  # See above.
  class Rates
    SECONDS = Float(ENV.fetch("DURATION", "60"))
    PROCESSES = Integer(ENV.fetch("PROCESSES", "8"))
    RATE = Integer(ENV.fetch("RATE", "100"))
    WARM = BacklogRun::WARM

    def initialize(database, style)
      @run = BacklogRun.new(database, "RatedJob", "rated_job.rb",
        {"RATE" => RATE.to_s, "STYLE" => style}, ["--processes", PROCESSES.to_s])
    end

    # @return [Hash] figures
    def measure
      lines, cpu = @run.measure(RATE * (WARM + SECONDS + 10), WARM + SECONDS + 1)
      figures(lines.map(&:first).sort, cpu)
    end

    private

    def figures(times, cpu)
      from = times.first + WARM
      counted = times.count { |time| time.between?(from, from + SECONDS) }
      {starts: counted, error: counted / SECONDS / RATE - 1, most: most_in_window(times),
       cpu_ms: cpu * 1000 / (SECONDS + WARM)}
    end

    # The bound is about starts as the store counts them. A job begins a little later, so those of
    # two windows may come closer together.
    def most_in_window(times)
      first = 0
      times.each_with_index.map { |time, index|
        first += 1 while time - times[first] >= 1
        index - first + 1
      }.max
    end
  end
end

names = ARGV.empty? ? JobsBench::Databases::ALL.keys : ARGV.map(&:to_sym)
puts "| store | style | starts in #{JobsBench::Rates::SECONDS.round} s | error | most begun in " \
  "any second | CPU ms in a second, all processes |", "|---|---|---|---|---|---|"
names.product(ENV.fetch("STYLE", "window,bucket").split(",")).each do |name, style|
  pid = fork do
    Dir.mktmpdir("jobs-rates-", "/var/tmp") do |folder|
      File.chmod(0o755, folder)
      database = JobsBench::Databases::ALL.fetch(name).new(folder)
      database.start
      found = JobsBench::Rates.new(database, style).measure
      puts format("| %s | %s | %d | %+.2f %% | %d | %.0f |", name, style, found[:starts],
        found[:error] * 100, found[:most], found[:cpu_ms])
    ensure
      database&.stop
    end
  end
  Process.wait(pid)
end
