# frozen_string_literal: true

require_relative "rewrite"

module Raffia
  module Jobs
    class Store
      # Added to the priority of a job under which a worker may have died: such suspects stand
      # before all others of their queue, and only {Store#claim} with `suspects: true` takes them.
      SUSPECT = 2**50
      # Priorities from here on are those of suspects.
      SUSPECTS = SUSPECT / 2

      # Decides what the death of a worker means for the jobs that it held. The same on all stores.
      #
      # * A job that had not begun is not charged: it goes back as it was.
      # * The only job that had begun is charged with the death.
      # * Of several it may have been any, so none is charged twice for deaths in company: each
      #   becomes a suspect, with one crash. Suspects run alone from then on, so the next death
      #   tells which one it was.
      #
      # @api private
      module Death
        # What becomes of one job.
        #
        # @!attribute [r] payload
        #   @return [String]
        # @!attribute [r] crashes
        #   @return [Integer] how many it has by now; 0 for one that was not charged
        # @!attribute [r] marked
        #   @return [Boolean] whether the payload says so; one that cannot be read cannot
        Verdict = Data.define(:payload, :crashes, :marked) do
          # @return [Boolean] whether it is not run again
          def dead? = crashes >= CRASHES

          # @return [Boolean] whether it is run again, alone
          def suspect? = marked && !dead?
        end

        module_function

        # @param payloads [Hash{Array(Integer, Integer) => String}] of all claims of one lease, by
        #   {Claim#key}
        # @param begun [Array<Array(Integer, Integer)>, nil] keys of those that had begun; nil:
        #   nobody knows, so any of them may have
        # @return [Hash{Array(Integer, Integer) => Verdict}]
        def verdicts(payloads, begun)
          charged = begun ? payloads.keys & begun : payloads.keys
          alone = charged.size == 1
          payloads.to_h do |key, payload|
            [key, charged.include?(key) ? charge(payload, alone) : Verdict.new(payload, 0, false)]
          end
        end

        # @param own [Hash] what a payload has under "raffia"
        # @return [Integer] its priority among all of its queue
        def priority(own) = own["priority"].to_i + (own["crashes"].to_i.positive? ? SUSPECT : 0)

        # @return [Verdict]
        def charge(payload, alone)
          after, crashes = Rewrite.crashed(payload, alone: alone)
          Verdict.new(after, crashes, !after.equal?(payload))
        end
      end
    end
  end
end
