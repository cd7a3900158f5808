# frozen_string_literal: true

# The process of a worker, of systems that have no program of their own for it, or none that fits:
#
#     ruby -Ilib bench/jobs/worker.rb SYSTEM URL FOLDER CONCURRENCY

require_relative "pace"
require_relative "systems"
require_relative "work"

module JobsBench
  Place = Data.define(:url, :folder)

  # Measures enqueuing together with the work, because both run in one process.
  class Together
    def initialize(system, warm, total, rate)
      @system = system
      @warm = warm
      @total = total
      @rate = rate
    end

    def run
      put(0...@warm)
      sleep(0.005) until Work::TALLY.count >= @warm
      if @rate.positive?
        Pace.new(@rate).call(@warm...@total) { |number, due| @system.push(number, due) }
      else
        put(@warm...@total)
      end
    end

    private

    def put(numbers) = numbers.each_slice(1000) { |slice| @system.bulk(slice) }
  end
end

name, url, folder, concurrency = ARGV
system = JobsBench::Systems.fetch(name.to_sym)
  .new(JobsBench::Place.new(url:, folder:), concurrency.empty? ? nil : Integer(concurrency))
system.connect
system.work
if system.together?
  JobsBench::Together.new(system,
    *ENV.fetch("JOBS_BENCH_MARKS").split(",").map(&:to_i).values_at(0, -1),
    ENV.fetch("JOBS_BENCH_RATE").to_i).run
  sleep
end
