# frozen_string_literal: true

require_relative "../../../base/clock"
require_relative "completion"
require_relative "held_claims"

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Repeats what a server may not have done. The subclass of a server has
        # `delete_plain(claims)`, which removes claims without extras and returns the ids of those
        # that were valid.
        # @api private
        class RepeatedCompletion < Completion
          HOLDS = "SELECT 1 FROM {leases} WHERE token = $1 AND {live}"
          EXISTING = "SELECT id FROM {jobs} WHERE id {ids $1}"
          MOVED = "SELECT 1 FROM {jobs} WHERE id = $1 AND state = $2 AND payload = $3"
          # Seconds between tries: the first pause, and the longest.
          PAUSES = [0.1, 2].freeze

          needs :database, :cleanup, :held, :rate_admission

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

          def release(claims, begun: true) = super.tap { @held.remove(claims) }

          private

          # Repeats the end of claims until the server takes it, or the lease must be lost. When an
          # earlier answer was lost, the block decides by the database whether the change was made:
          # while the lease holds, nobody else can have made it.
          def complete(claims, operation, &)
            lease = claims.first.lease
            deadline = nil
            pause = PAUSES.first
            begin
              done = operation.call
              done = verify(lease, done, &) if deadline
            rescue StoreUnavailable
              raise if Clock.now > (deadline ||= Clock.now + lease.ttl)

              sleep(pause)
              pause = [pause * 2, PAUSES.last].min
              retry
            end
            @held.remove(claims)
            done
          end

          # The block acks claims that have extras.
          def delete(claims)
            special, plain = claims.partition(&:extras)
            ids = plain.empty? ? [] : delete_plain(plain)
            ids += special.zip(yield(special)).filter_map { |claim, ours| claim.ref.first if ours }
            ids = ids.to_h { |id| [id, true] }
            claims.map { |claim| !ids.delete(claim.ref.first).nil? }
          end

          def verify(lease, done)
            @database.read { |db| (db.rows(HOLDS, lease.token).any? && yield(db, done)) || done }
          end

          def existing(db, claims)
            db.rows(EXISTING, claims.map { |claim| claim.ref.first }).flatten
          end

          def moved?(db, claim, state, payload)
            db.rows(MOVED, claim.ref.first, state, payload).any?
          end

          # Seconds that the server's clock is ahead, because a pause begins by this machine's clock
          # and ends by the server's. A small difference may be the round trip.
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
