# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Memory < Store
        class Leases < Store::Leases
          needs :jobs, :completion, :statistics

          def enroll(identity, info, ttl: Store::LEASE) = table.add_lease(identity, info, ttl)

          def beat(lease, state = {}, tally: nil)
            @statistics.add(tally) if tally
            return unless (holder = table[lease])

            holder.renew(state)
            holder.take_orders
          end

          def renew(lease) = !table[lease]&.renew.nil?

          def claim_keys(lease) = table[lease] ? table.claims(lease).map(&:key) : []

          def release_keys(lease, keys)
            @completion.release(keys.sort.map { |ref, _| Claim.new(lease, ref, nil, nil) })
          end

          def resign(lease, tally: nil)
            @statistics.add(tally) if tally
            return unless table[lease]

            @completion.release(table.claims(lease))
            table.delete(lease)
            nil
          end

          def processes = table.valid.map(&:to_h)

          def order(identity, order) = !table.find(identity)&.orders&.push(order).nil?

          private

          def table = @jobs.leases
        end
      end
    end
  end
end
