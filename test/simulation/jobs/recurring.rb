# frozen_string_literal: true

require_relative "../model"
require_relative "support/plant"

module Simulations
  of "jobs/recurring", covers: %w[jobs/recurring/schedule jobs/recurring/ticker
    jobs/recurring/recurrence], preempt: :none, max_steps: 100_000 do
    # Runs two tickers for so many hours, as workers do; returns the times that they enqueued.
    run = lambda do |program, spec, hours, **options, &meanwhile|
      Jobs::Plant.open(program) do |plant|
        plant.add_recurring(spec, **options)
        2.times { plant.tick(delays: program.choose(3)) }
        meanwhile&.call
        program.sim.sleep(hours * 3600 - program.sim.now)
        plant.stop
        plant.ticks
      end
    end

    model "a time in the skipped hour comes after it", runs: 1,
      start: Time.utc(2026, 3, 29, 0, 40) do
      expected = [Time.utc(2026, 3, 29, 1, 0)]
      check_equal(expected, run.call(self, "30 2 * * *", 0.5, zone: "Europe/Berlin"), "ticks")
    end

    model "a wall clock that is set makes no time come twice, and loses none", runs: 1,
      start: Time.utc(2026, 5, 1) do
      found = run.call(self, "* * * * *", 0.5, catch_up: :all, zone: "UTC") do
        4.times do
          sim.sleep(choose(200) + choose(1000) / 1000.0)
          clock = Raffia::Simulation::World.active.clock
          clock.real_offset += one_of(-50, 400, 7, -20, 3600) * 1_000_000_000
        end
      end
      check_equal(found.uniq, found, "ticks")
      minutes = (found.first.to_i..found.last.to_i).step(60).to_a
      check_equal([], minutes - found.map(&:to_i), "missed")
    end
  end
end
