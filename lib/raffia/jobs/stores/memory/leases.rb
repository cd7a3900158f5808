# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # (see Store::Leases)
        class Leases < Store::Leases
          def initialize(lock, jobs, completion, statistics)
            super()
            @lock = lock
            @table = jobs.leases
            @completion = completion
            @statistics = statistics
          end

          # (see Store::Leases#enroll)
          def enroll(identity, info, ttl: Store::LEASE)
            @lock.synchronize { @table.add_lease(identity, info, ttl) }
          end

          # (see Store::Leases#beat)
          def beat(lease, state = {}, tally: nil)
            @lock.synchronize do
              @statistics.add(tally) if tally
              next unless (holder = @table[lease])

              holder.renew(state)
              holder.take_orders
            end
          end

          # (see Store::Leases#renew)
          def renew(lease) = @lock.synchronize { !@table[lease]&.renew.nil? }

          # (see Store::Leases#claim_keys)
          def claim_keys(lease)
            @lock.synchronize { @table[lease] ? @table.claims(lease).map(&:key) : [] }
          end

          # (see Store::Leases#release_keys)
          def release_keys(lease, keys)
            @completion.release(keys.sort.map { |ref, _| Claim.new(lease, ref, nil, nil) })
          end

          # (see Store::Leases#resign)
          def resign(lease, tally: nil)
            @lock.synchronize do
              @statistics.add(tally) if tally
              next unless @table[lease]

              @completion.release(@table.claims(lease))
              @table.delete(lease)
              nil
            end
          end

          # (see Store::Leases#processes)
          def processes = @lock.synchronize { @table.valid.map(&:to_h) }

          # (see Store::Leases#order)
          def order(identity, order)
            @lock.synchronize { !@table.find(identity)&.orders&.push(order).nil? }
          end
        end
      end
    end
  end
end
