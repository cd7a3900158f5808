# frozen_string_literal: true

# One process of the load: SYSTEM ROLE URL. Its last line of output is how much it has done.

require_relative ARGV[0]

module DeadlocksBench
  THREADS = {"claim" => 4, "enqueue" => 4, "promote" => 1, "prune" => 1}.freeze

  # A system has a method for each role, which does a little and returns how much.
  def self.work(system, role)
    return system.setup && 0 if role == "setup"

    finish = now + Integer(ENV.fetch("DURATION"))
    threads = Array.new(THREADS.fetch(role)) do
      Thread.new do
        count = 0
        count += system.public_send(role) while now < finish
        count
      end
    end
    threads.sum(&:value)
  end

  def self.now = Process.clock_gettime(Process::CLOCK_MONOTONIC)

  name = ARGV[0].split("_").map(&:capitalize).join
  puts work(const_get(name).new(ARGV[2]), ARGV[1])
end
