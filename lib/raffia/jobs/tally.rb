# frozen_string_literal: true

module Raffia
  module Jobs
    # Counts of a worker since its last heartbeat.
    #
    # @!attribute [r] classes
    #   @return [Hash{String => Hash}] class => {"processed", "failed", "ms" (of successes),
    #     "histogram" => 26 counts of successes, see {BOUNDS}}
    Tally = Data.define(:processed, :failed, :classes)

    class Tally
      # Upper ends of the buckets in milliseconds, as Sidekiq's Web draws them; the 26th has none.
      BOUNDS = [
        20, 30, 45, 65, 100, 150, 225, 335, 500, 750, 1100, 1700, 2500, 3800, 5750, 8500, 13_000,
        20_000, 30_000, 45_000, 65_000, 100_000, 150_000, 225_000, 335_000
      ].freeze
    end
  end
end
