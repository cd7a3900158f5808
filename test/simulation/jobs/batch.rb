# frozen_string_literal: true

require_relative "../model"
require_relative "support/plant"

module Simulations
  module Jobs
    # A callback of a batch: notes which one, and what was open then.
    class CallbackJob
      include Raffia::Job

      options retry: 25

      CALLS = [] # rubocop:disable Style/MutableConstant

      def perform(event, failures = 0)
        ledger = Ledger.current
        ledger.run(self) do
          CALLS << [calling_batch.id, event] if ledger.attempt(self) == 1
          raise "not yet" if ledger.attempt(self) <= failures
        end
      end
    end

    # Adds a job to its batch.
    class GrowingJob < StepJob
      def perform(more)
        super(0.01)
        batch.jobs { Ledger.current.keep(StepJob.perform_async(0.02)) } if more.positive?
      end
    end
  end

  of "jobs/batch", covers: %w[jobs/stores/memory/batches jobs/stores/sql/batch_counter],
    preempt: :none, max_steps: 100_000 do
    callbacks = -> { Jobs::CallbackJob::CALLS }

    model "callbacks come once, after all jobs", runs: 4 do
      Jobs::Plant.open(self) do |plant|
        callbacks.call.clear
        (1 + choose(2)).times { plant.work(concurrency: 1 + choose(4), delays: choose(3)) }
        fatal = choose(3)
        jobs = nil
        batch = Raffia::Jobs::Batch.new
        %i[success complete death].each do |event|
          batch.on(event, Jobs::CallbackJob, event.to_s, choose(2))
        end
        batch.jobs do
          jobs = (1 + choose(5)).times.map do
            nap(pause)
            one_of(Jobs::StepJob, Jobs::ThreadJob).perform_async(choose(4) / 100.0, choose(2))
          end
          fatal.times { jobs << Jobs::StepJob.set(retry: 1).perform_async(0.01, 9) }
          jobs << Jobs::GrowingJob.perform_async(1)
        end
        plant.ledger.keep(jobs)
        plant.drain
        plant.stop
        plant.verify(dead: fatal)
        expected = [%w[complete death], %w[complete success]][fatal.zero? ? 1 : 0]
        check_equal(expected, callbacks.call.map(&:last).sort, "callbacks")
        check(batch.status.complete?, "the batch is not complete")
      end
    end

    model "a batch in a batch ends before it", runs: 4 do
      Jobs::Plant.open(self) do |plant|
        callbacks.call.clear
        2.times { plant.work(concurrency: 2, delays: choose(3)) }
        outer = Raffia::Jobs::Batch.new.on(:complete, Jobs::CallbackJob, "outer")
        inner = nil
        outer.jobs do
          plant.ledger.keep(Jobs::StepJob.perform_async(choose(3) / 100.0))
          inner = Raffia::Jobs::Batch.new.on(:complete, Jobs::CallbackJob, "inner", choose(2))
          inner.jobs do
            3.times { plant.ledger.keep(Jobs::StepJob.perform_async(choose(5) / 100.0)) }
          end
        end
        plant.drain
        plant.stop
        plant.verify
        check_equal([[inner.id, "inner"], [outer.id, "outer"]], callbacks.call, "callbacks")
      end
    end
  end
end
