# frozen_string_literal: true

require_relative "completion_retry"

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # (see Store::Completion)
        #
        # Removes plain jobs in one statement, and repeats what the server may not have done.
        class Completion < SQL::Completion
          # By the primary key: the index on the token has all running jobs, and the planner must
          # not use it. This is not a join for the same reason, see {Driver::BEGINNINGS}.
          DELETE = "DELETE FROM {jobs} WHERE id = ANY($1::bigint[]) " \
            "AND place = ANY($2::bigint[]) AND coalesce(token, 0) = ANY($3::bigint[]) RETURNING id"
          EXISTING = "SELECT id FROM {jobs} WHERE id {ids $1}"
          MOVED = "SELECT 1 FROM {jobs} WHERE id = $1 AND state = $2 AND payload = $3"
          private_constant :DELETE, :EXISTING, :MOVED

          def initialize(database, cleanup, held)
            super(database, cleanup)
            @held = held
            @retry = CompletionRetry.new(database)
          end

          def ack(claims)
            return [] if claims.empty?

            complete(claims, -> { delete(claims) { |some| super(some) } }) do |db, done|
              existing = existing(db, claims)
              done.zip(claims).map { |ours, claim| ours || !existing.include?(claim.ref.first) }
            end
          end

          def retry(claim, payload, at)
            complete([claim], -> { super(claim, payload, at + clock_skew) }) do |db, done|
              done || moved?(db, claim, "retry", payload)
            end
          end

          def bury(claim, payload)
            complete([claim], -> { super(claim, payload) }) do |db, done|
              done || moved?(db, claim, "dead", payload)
            end
          end

          def discard(claim)
            complete([claim], -> { super(claim) }) do |db, done|
              done || existing(db, [claim]).empty?
            end
          end

          def release(claims) = super.tap { @held.remove(claims) }

          private

          # @yieldreturn [Object] the result, when this was not the first try
          def complete(claims, operation, &)
            @retry.call(claims.first.lease, operation, &).tap { @held.remove(claims) }
          end

          # @yieldparam claims [Array<Claim>] whose end means more than removal
          # @yieldreturn [Array<Boolean>]
          # @return [Array<Boolean>]
          def delete(claims)
            special, plain = claims.partition(&:extras)
            ids = plain.empty? ? [] : delete_plain(plain)
            ids += special.zip(yield(special)).filter_map { |claim, ours| claim.ref.first if ours }
            ids = ids.to_h { |id| [id, true] }
            claims.map { |claim| !ids.delete(claim.ref.first).nil? }
          end

          def delete_plain(claims)
            refs = claims.map(&:ref)
            params = [refs.map(&:first), refs.map(&:last),
              claims.map { |claim| claim.lease.token }.uniq]
            @database.retry_conflicts { @database.read { |db| db.rows(DELETE, *params) } }.flatten
          end

          def existing(db, claims)
            db.rows(EXISTING, claims.map { |claim| claim.ref.first }).flatten
          end

          def moved?(db, claim, state, payload)
            db.rows(MOVED, claim.ref.first, state, payload).any?
          end

          # A pause is measured by this machine's clock, and ends by the server's. They may differ.
          # @return [Float] seconds that the server's is ahead; 0 when that may be the round trip
          def clock_skew
            now = @database.read { |db| db.rows("SELECT {now}") }[0][0].to_f
            ahead = now - ::Time.now.to_f
            (ahead.abs > 2) ? ahead : 0.0
          end
        end
      end
    end
  end
end
