# frozen_string_literal: true

require_relative "history"
require_relative "result"
require_relative "checks/jobs"
require_relative "checks/rates"
require_relative "checks/fairness"
require_relative "checks/batches"
require_relative "checks/workflows"
require_relative "checks/functions"

module Ledger
  # Checks the history of a campaign: lost work, and work that the store accepted twice.
  class Checker
    # Events that a store with older data has forgotten.
    FORGOTTEN = %i[
      kept kept_fair kept_batch kept_workflow kept_function acked acked_node called_back signalled
    ].freeze

    # @param path [String] of the history
    # @param faults [Hash{Symbol => Integer}] how often each thing was done to it
    # @param left [Hash{Symbol => Integer}] how many jobs are anywhere in the store
    # @param store [Raffia::Jobs::Store, nil] for the ends of workflows and functions
    # @param forgets [Array<Symbol>] faults after which the store's rates may begin anew
    # @return [Result]
    def self.call(path, faults, left, store: nil, forgets: [])
      checks = [Checks::Jobs.new, Checks::Rates.new(forgets), Checks::Fairness.new,
        Checks::Batches.new, Checks::Workflows.new(store), Checks::Functions.new(store)]
      new(checks).read(path)
      Result.new(lost: checks.flat_map(&:lost), doubled: checks.flat_map(&:doubled),
        broken: checks.flat_map(&:broken), facts: {**checks.map(&:facts).reduce(:merge),
          "left in the store" => left.values.sum, "faults" => faults})
    end

    # @param checks [Array<Checks::Check>]
    def initialize(checks)
      @checks = checks
    end

    # @return [void]
    def read(path)
      forgotten = false
      History.each(path) do |event, id, values|
        if event == :fault && id.start_with?("older_")
          forgotten = id == "older_begin"
        elsif !(forgotten && FORGOTTEN.include?(event))
          @checks.each { |check| check.see(event, id, values, torn: forgotten) }
        end
      end
    end
  end
end
