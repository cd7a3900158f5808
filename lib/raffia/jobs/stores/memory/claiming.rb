# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # What workers do.
        module Claiming
          # (see Store#enroll)
          def enroll(identity, info, ttl: Store::LEASE)
            sync { |all| all.leases.enroll(identity, info, ttl) }
          end

          # (see Store#beat)
          def beat(lease, state = {}, tally: nil)
            sync do |all|
              all.totals.add(tally) if tally
              next unless (holder = all.leases[lease])

              holder.renew(state)
              holder.take_orders
            end
          end

          # (see Store#renew)
          def renew(lease) = sync { |all| !all.leases[lease]&.renew.nil? }

          # (see Store#held)
          def held(lease) = sync { |all| all.leases[lease]&.held.to_h.keys.map { |ref| [ref, 0] } }

          # (see Store#give_back)
          def give_back(lease, keys)
            sync do |all|
              release_all(all, keys.sort.map { |ref, _| Claim.new(lease, ref, nil, nil) })
            end
          end

          # (see Store#resign)
          def resign(lease, tally: nil)
            sync do |all|
              all.totals.add(tally) if tally
              held = all.leases[lease]&.held or next
              release_all(all, held.keys.map { |ref| Claim.new(lease, ref, nil, nil) })
              all.leases.delete(lease)
              nil
            end
          end

          # (see Store#claim)
          def claim(lease, queues, limit, suspects: false)
            sync do |all|
              claims = []
              next claims unless (holder = all.leases[lease])

              while claims.size < limit &&
                  (job = all.queues.shift(queues, suspects ? Queues::SUSPECTS : Queues::ORDINARY))
                begun = start_job(all, job)
                claims << all.leases.hold(holder, job) if begun
              end
              claims
            end
          end

          # (see Store#suspects?)
          def suspects?(queues) = sync { |all| all.queues.any?(queues, Queues::SUSPECTS) }

          # Takes this very job, whatever its time and its limit. For tests.
          # @param entry [Entry] not :running, not :dead
          # @return [Claim, nil] nil when it is not there any more, or has expired
          # @api private
          def claim_entry(lease, entry)
            sync do |all|
              job = entry.ref
              next if %i[running dead].include?(entry.set) || job.entry != entry

              all.take(job)
              all.leases.hold(all.leases[lease], job) if start_job(all, job, limits: false)
            end
          end

          # (see Store#ack)
          def ack(claims)
            sync do |all|
              claims.map { |claim| ended(all, claim) { |job| all.finished(job, :done) } }
            end
          end

          # (see Store#retry)
          def retry(claim, payload, at)
            finish(claim) do |all, job|
              job.payload = payload
              all.put(job, :retry, at: at.to_f)
            end
          end

          # (see Store#bury)
          def bury(claim, payload)
            finish(claim) do |all, job|
              job.payload = payload
              all.bury(job)
            end
          end

          # (see Store#discard)
          def discard(claim) = finish(claim) { |all, job| all.finished(job, :dead) }

          # (see Store#release)
          def release(claims) = sync { |all| release_all(all, claims) }

          # (see Store#recover)
          def recover
            sync do |all|
              all.leases.over.flat_map { |holder| end_holder(all, holder, nil) }.tap { wake }
            end
          end

          # (see Store#report_death)
          def report_death(lease, begun)
            sync do |all|
              holder = all.leases.held_by(lease) or next []
              end_holder(all, holder, begun).tap { wake }
            end
          end

          private

          def finish(claim) = sync { |all| ended(all, claim) { |job| yield all, job } }

          def ended(all, claim)
            job = all.drop(claim) or return false
            yield job
            wake
            true
          end

          # @return [Boolean] whether it may run now
          def start_job(all, job, limits: true)
            now = Time.now.to_f
            job.set = :gone
            if job.expired?(now)
              all.vacate(job)
              all.finished(job, :dead)
              false
            elsif limits && all.limits.full?(job)
              all.put(job, :blocked, at: now)
              false
            else
              all.limits.started(job)
              all.uniques.started(job)
              job.at = now
              job.set = :running
            end
          end

          # From the last to the first, so that they stand in the queue as they stood.
          def release_all(all, claims)
            jobs = claims.reverse.filter_map do |claim|
              all.drop(claim)&.tap { |job| all.put_back(job) }
            end
            wake
            jobs.size
          end

          # @return [Array<Recovered>]
          def end_holder(all, holder, begun)
            verdicts = Store::Death.verdicts(holder.held
              .to_h { |ref, job| [[ref, 0], job.payload] }, begun)
            jobs = holder.held.keys.reverse
              .filter_map do |ref|
                all.drop(Claim.new(holder.lease, ref, nil, nil))
                  &.then { |job| [job, verdicts[[ref, 0]]] }
              end
            all.leases.delete(holder.lease)
            jobs.map { |job, verdict| crash(all, job, verdict) }.reverse
          end

          def crash(all, job, verdict)
            job.payload = verdict.payload
            job.suspect ||= verdict.suspect?
            verdict.dead? ? all.bury(job) : all.put_back(job)
            Recovered.new(jid: job.jid, queue: job.queue, crashes: verdict.crashes,
              dead: verdict.dead?)
          end
        end
      end
    end
  end
end
