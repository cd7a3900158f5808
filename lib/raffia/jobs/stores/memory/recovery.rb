# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        class Recovery < Store::Recovery
          needs :lock, :jobs

          def recover = @jobs.leases.expired.flat_map { |holder| report_death(holder.lease, nil) }

          def report_death(lease, begun)
            claims = @jobs.leases.claims(lease)
            payloads = claims.to_h { |claim| [claim.key, claim.payload] }
            verdicts = Store::CrashVerdict.of_claims(payloads, begun)
            jobs = claims.reverse.map { |claim| [@jobs.drop(claim), verdicts[claim.key]] }
            @jobs.leases.delete(lease)
            @lock.broadcast
            jobs.map { |job, verdict| recover_job(job, verdict) }.reverse
          end

          private

          def recover_job(job, verdict)
            job.payload = verdict.payload
            job.suspect ||= verdict.suspect?
            verdict.dead? ? @jobs.bury(job) : @jobs.put_back(job)
            @jobs.drop_cancelled(job) unless verdict.dead?
            verdict.recovered(job.jid, job.queue)
          end
        end
      end
    end
  end
end
