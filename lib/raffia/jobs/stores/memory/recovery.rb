# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # (see Store::Recovery)
        class Recovery < Store::Recovery
          needs :lock, :jobs

          def recover
            @lock.synchronize do
              @jobs.leases.expired.flat_map { |holder| end_lease(holder.lease, nil) }
            end
          end

          def report_death(lease, begun) = @lock.synchronize { end_lease(lease, begun) }

          private

          # @return [Array<RecoveredJob>]
          def end_lease(lease, begun)
            claims = @jobs.leases.claims(lease)
            verdicts = Store::CrashVerdict.of_claims(claims.to_h { |claim|
              [claim.key,
                claim.payload]
            }, begun)
            jobs = claims.reverse.map { |claim| [@jobs.drop(claim), verdicts[claim.key]] }
            @jobs.leases.delete(lease)
            @lock.broadcast
            jobs.map { |job, verdict| recover_job(job, verdict) }.reverse
          end

          def recover_job(job, verdict)
            job.payload = verdict.payload
            job.suspect ||= verdict.suspect?
            verdict.dead? ? @jobs.bury(job) : @jobs.put_back(job)
            RecoveredJob.new(jid: job.jid, queue: job.queue, crashes: verdict.crashes,
              dead: verdict.dead?)
          end
        end
      end
    end
  end
end
