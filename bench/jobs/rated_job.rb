# frozen_string_literal: true

require "raffia/jobs"

# Writes when each of its runs began to the file STARTS; loaded by `raffia work`. RATE and STYLE are
# its rate.
class RatedJob
  include Raffia::Job

  options rate: Integer(ENV.fetch("RATE")), per: Float(ENV.fetch("PER", "1")),
    rate_style: ENV.fetch("STYLE").to_sym

  STARTS = File.open(ENV.fetch("STARTS"), "a").tap { |file| file.sync = true }

  def perform(_number) = STARTS.write("#{Process.clock_gettime(Process::CLOCK_MONOTONIC)}\n")
end
