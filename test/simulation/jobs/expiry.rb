# frozen_string_literal: true

require_relative "../model"
require_relative "batch"
require_relative "support/plant"

module Simulations
  module Jobs
    # Notes a beginning after its expiry.
    class ExpiringJob < StepJob
      # Seconds from the claim, which is what counts, to the beginning.
      SOON = 0.1

      def perform(seconds, failures, expiry)
        late = Time.now.to_f - expiry
        Ledger.current.fault("#{jid} began #{late} s after its expiry") if late > SOON
        super(seconds, failures)
      end
    end
  end

  of "jobs/stores/memory/claims", covers: %w[jobs/stores/sql/claims jobs/stores/sql/cleanup
    jobs/stores/memory/batches jobs/stores/sql/batch_counter], preempt: :none,
    max_steps: 100_000, ignore: %i[lock_order] do
    model "a job that has expired does not begin, and is dead for its batch", runs: 8 do
      calls = Jobs::CallbackJob::CALLS.clear
      Jobs::Plant.open(self) do |plant|
        2.times { plant.work(concurrency: 1 + choose(2), delays: choose(3)) }
        batch = Raffia::Jobs::Batch.new
        %i[success complete death].each { |event| batch.on(event, Jobs::CallbackJob, event.to_s) }
        jobs = nil
        batch.jobs do
          jobs = 10.times.map do
            nap(pause)
            seconds = one_of(0.05, 0.5, 20, 100_000)
            Jobs::ExpiringJob.set(expires_in: seconds)
              .perform_async(choose(3) / 10.0, choose(2), Time.now.to_f + seconds)
          end
          long = Jobs::StepJob.perform_async(0.01) # so that one may succeed
          plant.ledger.keep(long)
        end
        plant.drain
        plant.stop
        plant.verify
        done, expired = jobs.partition { |jid| plant.ledger.acked[jid] == 1 }
        check(expired.none? { |jid| plant.ledger.ended[jid].positive? }, "one expired when done")
        found = jobs.select { |jid| plant.store.find(jid) }
        check_equal([], found, "jobs left in the store")
        events = expired.empty? ? %w[complete success] : %w[complete death]
        check_equal(events, calls.map(&:last).sort, "callbacks, #{done.size} of 10 done")
      end
    end
  end
end
