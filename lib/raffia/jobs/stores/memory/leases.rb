# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        # (see Store::Leases)
        class Leases < Store::Leases
          needs :lock, :jobs, :completion, :statistics

          def enroll(identity, info, ttl: Store::LEASE)
            @lock.synchronize { table.add_lease(identity, info, ttl) }
          end

          def beat(lease, state = {}, tally: nil)
            @lock.synchronize do
              @statistics.add(tally) if tally
              next unless (holder = table[lease])

              holder.renew(state)
              holder.take_orders
            end
          end

          def renew(lease) = @lock.synchronize { !table[lease]&.renew.nil? }

          def claim_keys(lease)
            @lock.synchronize { table[lease] ? table.claims(lease).map(&:key) : [] }
          end

          def release_keys(lease, keys)
            @completion.release(keys.sort.map { |ref, _| Claim.new(lease, ref, nil, nil) })
          end

          def resign(lease, tally: nil)
            @lock.synchronize do
              @statistics.add(tally) if tally
              next unless table[lease]

              @completion.release(table.claims(lease))
              table.delete(lease)
              nil
            end
          end

          def processes = @lock.synchronize { table.valid.map(&:to_h) }

          def order(identity, order)
            @lock.synchronize { !table.find(identity)&.orders&.push(order).nil? }
          end

          private

          def table = @jobs.leases
        end
      end
    end
  end
end
