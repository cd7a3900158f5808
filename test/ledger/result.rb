# frozen_string_literal: true

module Ledger
  # Outcome of a campaign.
  #
  # @!attribute [r] lost
  #   @return [Array<String>] acknowledged, and neither done nor in the store
  # @!attribute [r] doubled
  #   @return [Array<String>] the store took an end, a step or a callback of them more than once
  # @!attribute [r] broken
  #   @return [Array<String>] other rules that do not hold, such as a rate
  # @!attribute [r] facts
  #   @return [Hash{String => Object}]
  Result = Data.define(:lost, :doubled, :broken, :facts) do
    # @return [Boolean]
    def good? = [lost, doubled, broken].all?(&:empty?) && facts["left in the store"].zero?

    # @return [Integer] jobs, steps of workflows, and functions
    def size = facts.values_at("kept", "steps", "functions").sum

    # @return [String] for people
    def to_s
      plain = facts.except("faults").merge("lost" => lost.size, "doubled" => doubled.size,
        "broken" => broken.size)
      faults = facts["faults"].map { |name, count| "#{count} x #{name.to_s.tr("_", " ")}" }
      found = [lost, doubled, broken].flat_map { |some| some.first(10) }
      ["#{plain.map { |name, value| "#{name}: #{value}" }.join(", ")}; #{faults.join(", ")}",
        *found].join("\n")
    end

    # @return [String] columns of {row}
    def self.head
      "| store | jobs | steps | workflows | functions | faults | lost | doubled | broken |"
    end

    # @return [String] of a table
    def row(name)
      "| #{name} | #{facts["kept"]} | #{facts["steps"]} | #{facts["workflows"]} | " \
        "#{facts["functions"]} | #{facts["faults"].values.sum} | #{lost.size} | #{doubled.size} | #{broken.size} |"
    end
  end
end
