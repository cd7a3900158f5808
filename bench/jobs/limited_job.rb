# frozen_string_literal: true

require "raffia/jobs"

# Waits, and writes when each of its runs began and ended to the file STARTS; loaded by `raffia
# work`. LIMIT runs at a time, or any number without it.
class LimitedJob
  include Raffia::Job

  options limit: Integer(ENV.fetch("LIMIT")) if ENV.key?("LIMIT")

  SECONDS = Float(ENV.fetch("SECONDS"))
  STARTS = File.open(ENV.fetch("STARTS"), "a").tap { |file| file.sync = true }

  def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  def perform(_number)
    began = self.class.now
    sleep(SECONDS)
    STARTS.write("#{began} #{self.class.now}\n")
  end
end
