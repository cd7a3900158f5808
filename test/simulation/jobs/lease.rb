# frozen_string_literal: true

require_relative "../model"
require_relative "support/plant"

module Simulations
  of "jobs/lease", covers: %w[jobs/stores/memory/leases jobs/stores/sql/leases jobs/worker/heartbeat
    jobs/worker/reconciliation jobs/stores/sql/recovery],
    preempt: :none, max_steps: 100_000 do
    model "the jobs of a worker that dies are done by others", runs: 4 do
      Jobs::Plant.open(self) do |plant|
        3.times { plant.work(concurrency: 1 + choose(3), delays: choose(3)) }
        10.times do
          job = one_of(Jobs::StepJob, Jobs::ThreadJob)
          plant.ledger.keep(job.perform_async(choose(30) / 10.0, choose(2)))
          nap(choose(10) / 10.0)
        end
        plant.crash(plant.workers[choose(2)])
        nap(choose(20))
        plant.drain
        plant.stop
        plant.verify
      end
    end

    model "calls that reach the store after the end of a lease change nothing", runs: 8,
      ignore: %i[lock_order] do
      Jobs::Plant.open(self) do |plant|
        2.times { plant.work(concurrency: 1 + choose(3), delays: choose(3)) }
        12.times do
          job = one_of(Jobs::StepJob, Jobs::ThreadJob)
          plant.ledger.keep(job.perform_async(choose(60) / 10.0, choose(2)))
          nap(choose(50) / 10.0)
          plant.links[choose(2)].hang = one_of(0, 0, 1, 10, 16, 40)
        end
        plant.links.each { |link| link.hang = 0 }
        plant.drain
        plant.stop
        plant.verify
      end
    end
  end
end
