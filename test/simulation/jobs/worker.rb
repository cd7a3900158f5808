# frozen_string_literal: true

require_relative "../model"
require_relative "support/plant"

module Simulations
  of "jobs/worker", covers: %w[jobs/worker/fetcher jobs/worker/runner jobs/worker/run
    jobs/worker/ack_batcher jobs/worker/drain jobs/stores/memory], preempt: :none,
    max_steps: 100_000 do
    model "each job is done once, by one or several workers, on fibers and threads", runs: 4 do
      Jobs::Plant.open(self) do |plant|
        (1 + choose(3)).times { plant.work(concurrency: 1 + choose(4), delays: choose(3)) }
        (4 + choose(8)).times do
          job = one_of(Jobs::StepJob, Jobs::ThreadJob)
          case choose(3)
          when 0 then plant.ledger.keep(job.perform_in(choose(100), 0.01))
          when 1 then plant.ledger.keep(job.perform_async(choose(5) / 100.0))
          else plant.ledger.keep(job.perform_bulk([[0.01], [0.02]]))
          end
          nap(pause)
        end
        plant.drain
        plant.stop
        plant.verify
      end
    end

    model "jobs that fail are tried again for hours, and are dead after the last try", runs: 4 do
      Jobs::Plant.open(self) do |plant|
        (1 + choose(2)).times { plant.work(concurrency: 3, delays: choose(3)) }
        6.times { plant.ledger.keep(Jobs::StepJob.perform_async(0.01, choose(5))) }
        dead = choose(3)
        dead.times do
          plant.ledger.keep(Jobs::StepJob.set(retry: 1 + choose(2)).perform_async(0.1, 9))
        end
        plant.drain
        plant.stop
        plant.verify(dead: dead)
      end
    end

    model "a worker that stops ends its jobs, or leaves them to others", runs: 4 do
      Jobs::Plant.open(self) do |plant|
        plant.work(concurrency: 4, delays: choose(3), timeout: 1 + choose(3))
        8.times do
          job = one_of(Jobs::StepJob, Jobs::ThreadJob)
          plant.ledger.keep(job.perform_async(choose(40) / 10.0))
        end
        nap(choose(40) / 10.0)
        together(-> { plant.retire }, -> { plant.work(concurrency: 2) })
        check_equal(0, plant.store.processes.size - 1, "leases of the stopped worker")
        plant.drain
        plant.stop
        plant.verify
      end
    end

    model "a worker that loses the store for a while loses no job", runs: 4 do
      Jobs::Plant.open(self) do |plant|
        2.times { plant.work(concurrency: 3, delays: 2, loss: one_of(0, 0.1, 0.3)) }
        12.times do
          job = one_of(Jobs::StepJob, Jobs::ThreadJob)
          plant.ledger.keep(job.perform_async(choose(30) / 10.0, choose(2)))
          nap(choose(20) / 10.0)
          link = plant.links[choose(2)]
          link.cut = !link.cut if choose(4).zero?
        end
        nap(choose(30))
        plant.links.each { |link|
          link.cut = false
          link.loss = 0
        }
        plant.drain
        plant.stop
        plant.verify
      end
    end

    model "pausing a queue holds its jobs", runs: 4 do
      Jobs::Plant.open(self) do |plant|
        2.times { plant.work(concurrency: 2, delays: choose(3)) }
        10.times do
          plant.ledger.keep(Jobs::StepJob.perform_async(choose(3) / 10.0))
          next nap(pause) unless choose(3).zero?

          plant.store.pause("default")
          nap(1)
          began = plant.ledger.began.values.sum
          nap(choose(50))
          check_equal(began, plant.ledger.began.values.sum, "jobs that began in a paused queue")
          plant.store.resume("default")
        end
        plant.drain
        plant.stop
        plant.verify
      end
    end
  end
end
