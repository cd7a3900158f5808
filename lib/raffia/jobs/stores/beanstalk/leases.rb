# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Beanstalk < Store
        # The server knows connections, and no workers: a lease is valid as long as the process.
        class Leases < Store::Leases
          extend Refusal

          needs :reservations

          refuse :order, "it knows no workers"

          def enroll(identity, _info, ttl: Store::LEASE)
            Lease.new(identity: identity, token: 1, ttl: ttl)
          end

          def beat(_lease, _state = {}, tally: nil) = []

          def renew(_lease) = true

          def claim_keys(_lease) = @reservations.keys

          def release_keys(_lease, keys) = keys.count { |key| @reservations.give_back(key) }

          def resign(_lease, tally: nil)
            @reservations.keys.each { |key| @reservations.give_back(key) }
            nil
          end

          def processes = []
        end
      end
    end
  end
end
