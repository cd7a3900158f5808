# frozen_string_literal: true

require_relative "../../../base/clock"

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # Work that has been done is reported until the server takes it, as when it is restarted, or
        # until the lease must be lost.
        # @api private
        module Insistence
          # Seconds between tries: the first, and the longest.
          PAUSES = [0.1, 2].freeze
          private_constant :PAUSES

          THERE = "SELECT id FROM {jobs} WHERE id {ids $1}"
          AS_WANTED = "SELECT 1 FROM {jobs} WHERE id = $1 AND state = $2 AND payload = $3"
          HOLDS = "SELECT 1 FROM {leases} WHERE token = $1 AND {live}"
          private_constant :THERE, :AS_WANTED, :HOLDS

          # (see Store#ack)
          def ack(claims)
            return [] if claims.empty?

            insist(claims.first.lease, -> { super(claims) }) do |db, done|
              there = db.rows(THERE, claims.map { |claim| claim.ref.first }).flatten
              done.zip(claims).map { |ours, claim| ours || !there.include?(claim.ref.first) }
            end
          end

          # (see Store#retry)
          def retry(claim, payload, at)
            insist(claim.lease, -> { super(claim, payload, at + skew) }) do |db, done|
              done || db.rows(AS_WANTED, claim.ref.first, "retry", payload).any?
            end
          end

          # (see Store#bury)
          def bury(claim, payload)
            insist(claim.lease, -> { super(claim, payload) }) do |db, done|
              done || db.rows(AS_WANTED, claim.ref.first, "dead", payload).any?
            end
          end

          # (see Store#discard)
          def discard(claim)
            insist(claim.lease, -> { super(claim) }) do |db, done|
              done || db.rows(THERE, [claim.ref.first]).empty?
            end
          end

          private

          # A pause is counted by our clock, and ends by the server's: one of them may have been
          # set, or be wrong.
          # @return [Float] seconds that the server's is ahead; 0 when that may be the journey
          def skew
            ahead = now - ::Time.now.to_f
            (ahead.abs > 2) ? ahead : 0.0
          end

          # An answer may have been lost, and not the change: while our lease holds, nobody else can
          # have made it.
          # @param ending [Proc]
          # @yieldreturn [Object] the answer, when this was not the first try
          def insist(lease, ending)
            give_up = nil
            pause = PAUSES.first
            begin
              done = ending.call
              return done unless give_up

              reading { |db| (db.rows(HOLDS, lease.token).any? && yield(db, done)) || done }
            rescue StoreUnavailable
              raise if Clock.now > (give_up ||= Clock.now + lease.ttl)

              sleep(pause)
              pause = [pause * 2, PAUSES.last].min
              retry
            end
          end
        end
      end
    end
  end
end
