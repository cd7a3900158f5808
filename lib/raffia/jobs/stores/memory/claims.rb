# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # (see Store::Claims)
        class Claims < Store::Claims
          needs :lock, :jobs

          def claim(lease, queues, limit, suspects: false)
            priorities = suspects ? Queues::SUSPECTS : Queues::ORDINARY
            @lock.synchronize do
              claims = []
              next claims unless (holder = @jobs.leases[lease])

              while claims.size < limit && (job = @jobs.queues.shift(queues, priorities))
                claims << @jobs.leases.hold(holder, job) if start(job)
              end
              claims
            end
          end

          def suspects?(queues)
            @lock.synchronize { @jobs.queues.any?(queues, Queues::SUSPECTS) }
          end

          # Claims this very job, whatever its time and its limit. For tests.
          # @param entry [Entry] of any set but :running and :dead
          # @return [Claim, nil] nil when it has moved on, or has expired
          def claim_entry(lease, entry)
            @lock.synchronize do
              job = entry.ref
              next if %i[running dead].include?(entry.set) || job.entry != entry

              @jobs.take(job)
              leases = @jobs.leases
              leases.hold(leases[lease], job) if start(job, limits: false)
            end
          end

          private

          # @return [Boolean] whether it may run now
          def start(job, limits: true)
            now = Time.now.to_f
            job.set = :none
            return expire(job) if job.expired?(now)
            return block(job, now) if limits && @jobs.limits.full?(job)

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

          def block(job, now)
            @jobs.put(job, :blocked, at: now)
            false
          end
        end
      end
    end
  end
end
