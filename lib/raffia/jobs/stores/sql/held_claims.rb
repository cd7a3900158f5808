# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Claims of this process's leases. After a lost answer the server has claims of a living
        # lease that no worker knows. They go back before the next claim.
        # @api private
        class HeldClaims
          OURS = "SELECT id, place FROM {jobs} WHERE token = $1 ORDER BY place {lock}"
          # Claims of a lease, whether the server may have more, and a lock for claiming.
          LeaseClaims = Struct.new(:refs, :doubtful, :lock)

          def initialize(database, &put_back)
            @database = database
            @put_back = put_back
            @leases = {}
          end

          # Runs one claim of a lease at a time.
          def track(lease)
            held = @leases[lease.token] ||= LeaseClaims.new({}, false, ::Mutex.new)
            held.lock.synchronize do
              return_unknown(lease.token, held) if held.doubtful
              held.doubtful = true
              claims = yield
              claims.each { |claim| held.refs[claim.ref] = true }
              held.doubtful = false
              claims
            end
          end

          def remove(claims)
            claims.each { |claim| @leases[claim.lease.token]&.refs&.delete(claim.ref) }
          end

          def remove_lease(lease) = @leases.delete(lease.token)

          private

          def return_unknown(token, held)
            @database.write do |db|
              unknown = db.rows(OURS, token).reject { |ref| held.refs.key?(ref) }
              @put_back.call(db, unknown, token)
            end
          end
        end
      end
    end
  end
end
