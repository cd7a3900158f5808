# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        class Claims < Store::Claims
          needs :jobs

          def claim(lease, queues, limit, suspects: false, ahead: false)
            claims = []
            holder = @jobs.leases[lease] or return claims
            priorities = suspects ? Queues::SUSPECTS : Queues::ORDINARY
            now = Time.now.to_f
            @jobs.unblock_rated(now, ahead: ahead)
            while claims.size < limit && (job = @jobs.queues.shift(queues, priorities))
              next unless (time = start(job, now, ahead: ahead))

              claims << @jobs.leases.hold(holder, job)
              claims.last.delay = time - now if time > now
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

          # Returns when it may run, nil if not now.
          def start(job, now, limits: true, ahead: false)
            job.set = :none
            return expire(job) if job.expired?(now)
            return refuse(job, now, :pause) if limits && @jobs.pauses.paused?(job)
            return block(job, now) if limits && @jobs.limits.full?(job)

            time = limits ? @jobs.rates.start(job, now, ahead) : now
            return refuse(job, now, :rate) unless time

            @jobs.limits.started(job)
            @jobs.uniqueness.started(job)
            job.at = now
            job.set = :running
            time
          end

          def expire(job)
            count_expired(job.queue)
            @jobs.unblock_next(job)
            @jobs.finish(job, :dead)
            nil
          end

          # A limit may have returned the job: the next one takes its place.
          def refuse(job, now, why)
            block(job, now, why)
            @jobs.unblock_next(job) unless @jobs.limits.full?(job)
            nil
          end

          def block(job, now, rated = nil)
            job.rated = rated
            @jobs.put(job, :blocked, at: now)
            nil
          end
        end
      end
    end
  end
end
