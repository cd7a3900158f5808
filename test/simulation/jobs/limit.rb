# frozen_string_literal: true

require_relative "../model"
require_relative "support/plant"

module Simulations
  module Jobs
    # At most two at a time.
    class LimitedJob < StepJob
      options limit: 2
    end

    # One for each argument until it is done.
    class UniqueJob < StepJob
      options unique: :done, retry: 25

      def perform(key) = super(key / 100.0, key.odd? ? 1 : 0)
    end

    # One for each argument until it has begun.
    class StartUniqueJob < UniqueJob
      options unique: :start
    end
  end

  of "jobs/limit", covers: %w[jobs/stores/memory/limits jobs/stores/memory/uniqueness
    jobs/stores/sql/claims], preempt: :none, max_steps: 100_000 do
    model "no more than the limit run at a time, and all run", runs: 4 do
      Jobs::Plant.open(self) do |plant|
        2.times { plant.work(concurrency: 1 + choose(5), delays: choose(3)) }
        sim.invariant("at most two run at a time") { plant.ledger.running <= 2 }
        (5 + choose(6)).times do
          plant.ledger.keep(Jobs::LimitedJob.perform_async(choose(5) / 100.0, choose(2)))
          nap(pause)
        end
        plant.drain
        plant.stop
        plant.verify
        check_equal(0, plant.store.counts[:blocked], "blocked jobs at the end")
      end
    end

    model "a unique job is never enqueued twice until it is done", runs: 4 do
      Jobs::Plant.open(self) do |plant|
        2.times { plant.work(concurrency: 2, delays: choose(3)) }
        job = one_of(Jobs::UniqueJob, Jobs::StartUniqueJob)
        clients = 3.times.map do
          -> {
            4.times do
              plant.ledger.keep(job.perform_async(choose(3)))
              nap(pause(20))
            end
          }
        end
        watch = Thread.new do
          until plant.closed?
            open = (job == Jobs::UniqueJob) ? %i[queue retry running] : %i[queue]
            waiting = plant.payloads(*open)
            twice = waiting.map { |item| item["args"].first }.tally.select { |_, count| count > 1 }
            plant.ledger.fault("twice in the store: #{twice}") if twice.any?
            sim.sleep((sim.now < 2) ? 0.003 : 0.5) # later there are retries only
          end
        end
        sim.daemon(watch)
        clients.map { |client| Thread.new(&client) }.each(&:join)
        plant.drain
        plant.stop
        plant.verify
      end
    end
  end
end
