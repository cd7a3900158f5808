# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        class Claims < Store::Claims
          needs :jobs

          def claim(lease, queues, limit, suspects: false)
            claims = []
            holder = @jobs.leases[lease] or return claims
            priorities = suspects ? Queues::SUSPECTS : Queues::ORDINARY
            now = Time.now.to_f
            while claims.size < limit && (job = @jobs.queues.shift(queues, priorities))
              claims << @jobs.leases.hold(holder, job) if start(job, now)
            end
            claims
          end

          def suspects?(queues) = @jobs.queues.any?(queues, Queues::SUSPECTS)

          # See {Memory#claim_entry}.
          def claim_entry(lease, entry)
            job = entry.ref
            return if %i[running dead].include?(entry.set) || job.entry != entry

            @jobs.take(job)
            leases = @jobs.leases
            leases.hold(leases[lease], job) if start(job, Time.now.to_f, limits: false)
          end

          private

          # False when it may not run now.
          def start(job, now, limits: true)
            job.set = :none
            return expire(job) if job.expired?(now)
            return block(job, now) if limits && @jobs.limits.full?(job)
            return block(job, now, rated: true) if limits && !@jobs.rates.start?(job, now)

            @jobs.limits.started(job)
            @jobs.uniqueness.started(job)
            job.at = now
            job.set = :running
            true
          end

          def expire(job)
            @jobs.unblock_next(job)
            @jobs.finish(job, :dead)
            false
          end

          def block(job, now, rated: false)
            job.rated = rated
            @jobs.put(job, :blocked, at: now)
            false
          end
        end
      end
    end
  end
end
