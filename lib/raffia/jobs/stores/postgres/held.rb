# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # What our leases hold, as far as we know. An answer to a claim may be lost on its way, and
        # then the server has jobs in our name that nobody here knows of, for as long as the lease
        # lives: they are given back before the next claim.
        # @api private
        module Held
          OURS = "SELECT id, place FROM {jobs} WHERE token = $1 ORDER BY place {lock}"
          # Of one lease: the jobs, whether there may be more, and who is taking some.
          Holding = Struct.new(:refs, :doubtful, :lock)
          private_constant :OURS, :Holding

          # (see Store#ack)
          def ack(claims) = super.tap { claims.each { |claim| forget(claim) } }

          # (see Store#release)
          def release(claims) = super.tap { claims.each { |claim| forget(claim) } }

          # (see Store#retry)
          def retry(claim, payload, at) = super.tap { forget(claim) }

          # (see Store#bury)
          def bury(claim, payload) = super.tap { forget(claim) }

          # (see Store#discard)
          def discard(claim) = super.tap { forget(claim) }

          # (see Store#beat)
          def beat(lease, state = {}, tally: nil)
            super.tap { |orders| @held.delete(lease.token) unless orders }
          end

          # (see Store#resign)
          def resign(lease, tally: nil) = super.tap { @held.delete(lease.token) }

          private

          # One at a time for each lease.
          # @yieldreturn [Array<Claim>]
          # @return [Array<Claim>]
          def taking(lease)
            holding = @held[lease.token] ||= Holding.new({}, false, ::Mutex.new)
            holding.lock.synchronize do
              settle(lease.token, holding) if holding.doubtful
              holding.doubtful = true
              claims = yield
              claims.each { |claim| holding.refs[claim.ref] = true }
              holding.doubtful = false
              claims
            end
          end

          def settle(token, holding)
            writing do |db|
              put_back(db, db.rows(OURS, token).reject { |ref| holding.refs.key?(ref) }, token)
            end
          end

          def forget(claim) = @held[claim.lease.token]&.refs&.delete(claim.ref)
        end
      end
    end
  end
end
