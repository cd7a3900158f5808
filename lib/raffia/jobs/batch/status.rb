# frozen_string_literal: true

module Raffia
  module Jobs
    class Batch
      # Progress of a batch.
      #
      # @!attribute [r] total
      #   @return [Integer] jobs, and batches within it
      # @!attribute [r] pending
      #   @return [Integer] neither done nor dead
      # @!attribute [r] dead
      #   @return [Integer] failed for good, or given up
      # @!attribute [r] created_at
      #   @return [Float, nil] seconds since 1970
      # @!attribute [r] completed_at
      #   @return [Float, nil] the first time
      Status = Data.define(:id, :description, :total, :pending, :dead, :sealed, :created_at,
        :completed_at, :parent) do
        # See {Store#batch}.
        def self.of(batch)
          about = batch["about"] || {}
          new(**batch.slice("id", "total", "pending", "dead", "sealed", "completed_at", "parent")
            .transform_keys(&:to_sym),
            description: about["description"], created_at: about["created_at"])
        end

        # @return [Integer]
        def done = total - pending - dead

        # @return [Float] from 0.0 to 1.0
        def progress
          return (total - pending).fdiv(total) unless total.zero?

          complete? ? 1.0 : 0.0
        end

        # @return [Boolean] whether all are done or dead
        def complete? = sealed && pending.zero?

        # @return [Boolean] whether all are done
        def success? = complete? && dead.zero?
      end
    end
  end
end
