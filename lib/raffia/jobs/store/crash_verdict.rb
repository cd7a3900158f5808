# frozen_string_literal: true

require_relative "rewrite"

module Raffia
  module Jobs
    class Store
      # Added to the priority of a job whose worker may have died of it. Such suspects stand before
      # all other jobs of their queue, and only {Claims#claim} with `suspects: true` takes them.
      SUSPECT = 2**50
      # Priorities from here on are those of suspects.
      SUSPECTS = SUSPECT / 2

      # Decides what a worker's death means for a job that it held, the same on all stores: see
      # {Recovery#report_death}. `crashes` is 0 for a job that was not charged; `marked` tells
      # whether the payload has the crashes (an unreadable one cannot).
      # @api private
      CrashVerdict = Data.define(:payload, :crashes, :marked) do
        # Judges all claims of one lease: payloads and verdicts by {Claim#key}. `begun` has the keys
        # of jobs that had begun; nil: unknown, any of them may have.
        def self.of_claims(payloads, begun)
          charged = begun ? payloads.keys & begun : payloads.keys
          alone = charged.size == 1
          payloads.to_h do |key, payload|
            [key, charged.include?(key) ? charge(payload, alone) : new(payload, 0, false)]
          end
        end

        def self.charge(payload, alone)
          after, crashes = Rewrite.crashed(payload, alone: alone)
          new(after, crashes, !after.equal?(payload))
        end

        # The job's priority in its queue, by the payload's fields under "raffia".
        def self.priority(own)
          own["priority"].to_i + (own["crashes"].to_i.positive? ? SUSPECT : 0)
        end

        # Whether it is not run again.
        def dead? = crashes >= CRASHES

        # Whether it is run again, alone.
        def suspect? = marked && !dead?

        def recovered(jid, queue)
          RecoveredJob.new(jid: jid, queue: queue, crashes: crashes, dead: dead?)
        end
      end
    end
  end
end
