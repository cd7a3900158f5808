# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        class Maintenance < Store::Maintenance
          needs :jobs, :batches, :workflows, :key_values

          def prune(dead_for: 180 * 86_400, dead_max: 10_000, batches_for: 7 * 86_400)
            now = Time.now.to_f
            dead = @jobs[:dead]
            nil while dead.shift(now - dead_for)
            nil while dead.size > dead_max && dead.shift(now)
            @batches.prune(now - batches_for)
            @jobs.flows.prune(now - batches_for)
            @workflows.prune(now - batches_for)
            @key_values.prune
            @jobs.uniqueness.prune(now)
            @jobs.rates.prune(now)
            nil
          end

          def check = misplaced_jobs + unknown_claims + wrong_limits + @workflows.check

          private

          def misplaced_jobs
            Store::SETS.flat_map do |set|
              @jobs[set].to_a.reject { |job| job.set == set }
                .map { |job| "job #{job.jid} is in #{set} and says #{job.set}" }
            end
          end

          def unknown_claims
            leases = @jobs.leases
            Store::UnknownClaims.find(leases.valid.map(&:to_h), leases.claim_times)
          end

          def wrong_limits
            counted = @jobs.limits.running
            running = @jobs.leases.to_a.filter_map(&:limit).map { |limit| limit["key"] }.tally
            return [] if running == counted

            ["limits count #{counted} running jobs, and there are #{running}"]
          end
        end
      end
    end
  end
end
