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

      # Decides what a worker's death means for a job that it held. The same on all stores.
      #
      # * A job that had not begun is not charged: it goes back as it was.
      # * The only job that had begun is charged with the death.
      # * Several jobs that had begun become suspects with one crash, however often they die in
      #   company. Suspects run alone, so the next death tells which one it was.
      #
      # @!attribute [r] payload
      #   @return [String]
      # @!attribute [r] crashes
      #   @return [Integer] its crashes by now; 0 for a job that was not charged
      # @!attribute [r] marked
      #   @return [Boolean] whether the payload has the crashes; an unreadable one cannot
      # @api private
      CrashVerdict = Data.define(:payload, :crashes, :marked) do
        # @param payloads [Hash{Array(Integer, Integer) => String}] of all claims of one lease, by
        #   {Claim#key}
        # @param begun [Array<Array(Integer, Integer)>, nil] keys of those that had begun; nil:
        #   unknown, any of them may have
        # @return [Hash{Array(Integer, Integer) => CrashVerdict}]
        def self.of_claims(payloads, begun)
          charged = begun ? payloads.keys & begun : payloads.keys
          alone = charged.size == 1
          payloads.to_h do |key, payload|
            [key, charged.include?(key) ? charge(payload, alone) : new(payload, 0, false)]
          end
        end

        # @return [CrashVerdict]
        def self.charge(payload, alone)
          after, crashes = Rewrite.crashed(payload, alone: alone)
          new(after, crashes, !after.equal?(payload))
        end

        # @param own [Hash] the payload's fields under "raffia"
        # @return [Integer] the job's priority in its queue
        def self.priority(own)
          own["priority"].to_i + (own["crashes"].to_i.positive? ? SUSPECT : 0)
        end

        # @return [Boolean] whether it is not run again
        def dead? = crashes >= CRASHES

        # @return [Boolean] whether it is run again, alone
        def suspect? = marked && !dead?
      end
    end
  end
end
