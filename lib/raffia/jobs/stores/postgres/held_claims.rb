# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # Claims of this process's leases. The answer to a claim may be lost on its way. Then the
        # server has jobs of a living lease that no worker knows: they go back before the next
        # claim.
        # @api private
        class HeldClaims
          OURS = "SELECT id, place FROM {jobs} WHERE token = $1 ORDER BY place {lock}"
          # A lease's refs of claims, whether the server may have more, and a lock for claiming.
          Holding = Struct.new(:refs, :doubtful, :lock)
          private_constant :OURS, :Holding

          # @yieldparam db [Driver]
          # @yieldparam refs [Array] of jobs to put back
          # @yieldparam token [Integer]
          def initialize(database, &put_back)
            @database = database
            @put_back = put_back
            @holdings = {}
          end

          # Runs one claim of a lease at a time.
          # @yieldreturn [Array<Claim>]
          # @return [Array<Claim>]
          def adding(lease)
            holding = @holdings[lease.token] ||= Holding.new({}, false, ::Mutex.new)
            holding.lock.synchronize do
              settle(lease.token, holding) if holding.doubtful
              holding.doubtful = true
              claims = yield
              claims.each { |claim| holding.refs[claim.ref] = true }
              holding.doubtful = false
              claims
            end
          end

          # @param claims [Array<Claim>] ended
          def remove(claims)
            claims.each { |claim| @holdings[claim.lease.token]&.refs&.delete(claim.ref) }
          end

          def remove_lease(lease) = @holdings.delete(lease.token)

          private

          def settle(token, holding)
            @database.write do |db|
              unknown = db.rows(OURS, token).reject { |ref| holding.refs.key?(ref) }
              @put_back.call(db, unknown, token)
            end
          end
        end
      end
    end
  end
end
