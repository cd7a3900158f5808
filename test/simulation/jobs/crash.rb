# frozen_string_literal: true

require_relative "../model"
require_relative "batch"
require_relative "limit"
require_relative "support/plant"

module Simulations
  module Jobs
    # Kills its worker each time.
    class PoisonJob < StepJob
      # Tokens of the leases whose workers are to die.
      VICTIMS = Thread::Queue.new

      def perform
        ledger = Ledger.current
        ledger.run(self) do
          sleep(0.02)
          VICTIMS << run.claim.lease.token
          sleep
        end
      end
    end
  end

  of "jobs/store/crash_verdict", covers: %w[jobs/stores/memory/recovery jobs/stores/sql/recovery
    jobs/worker/suspect_fetcher jobs/worker/fetcher jobs/worker/maintenance], preempt: :none,
    max_steps: 100_000, ignore: %i[lock_order] do
    model "a job that kills its workers is dead after three deaths, and no other job is", runs: 8 do
      victims = Jobs::PoisonJob::VICTIMS.clear
      Jobs::Plant.open(self) do |plant|
        2.times { plant.work(concurrency: 1 + choose(4), delays: choose(3)) }
        killer = Thread.new do
          while (token = victims.pop)
            index = plant.links.index { |link| link.token == token } or next
            plant.crash(plant.workers[index])
            plant.work(concurrency: 1 + choose(4), delays: choose(3))
          end
        end
        sim.daemon(killer)
        poison = (1 + choose(2)).times.map do
          nap(pause)
          job = plant.ledger.keep(Jobs::PoisonJob.perform_async)
          choose(4).times { plant.ledger.keep(Jobs::StepJob.perform_async(choose(5) / 20.0)) }
          job
        end
        plant.drain
        victims << nil
        plant.stop
        plant.verify(dead: poison.size)
        dead = plant.payloads(:dead)
        check_equal(poison.sort, dead.map { |item| item["jid"] }.sort, "dead jobs")
        check_equal([3], dead.map { |item| item.dig("raffia", "crashes") }.uniq, "deaths")
      end
    end

    model "limits, locks and batches go on when workers die", runs: 8 do
      calls = Jobs::CallbackJob::CALLS.clear
      Jobs::Plant.open(self) do |plant|
        3.times { plant.work(concurrency: 1 + choose(4), delays: choose(3)) }
        batch = Raffia::Jobs::Batch.new
        %i[success complete].each { |event| batch.on(event, Jobs::CallbackJob, event.to_s) }
        batch.jobs do
          4.times do
            plant.ledger.keep(Jobs::LimitedJob.perform_async(choose(5) / 10.0, choose(2)))
            plant.ledger.keep(Jobs::UniqueJob.perform_async(choose(3)))
            nap(pause(200))
          end
        end
        2.times do
          plant.crash(plant.workers[choose(plant.workers.size)])
          nap(choose(20))
        end
        plant.drain
        keys = 3.times.select { |key| plant.ledger.keep(Jobs::UniqueJob.perform_async(key)) }
        plant.drain
        plant.stop
        plant.verify
        check_equal([0, 1, 2], keys, "keys that are free at the end")
        check_equal(%w[complete success], calls.map(&:last).sort, "callbacks")
      end
    end
  end
end
