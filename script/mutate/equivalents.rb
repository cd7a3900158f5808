# frozen_string_literal: true

require "yaml"

module Mutate
  # Mutants that no test can tell from what they replace, each with the reason. A line is known by
  # its text, so that its number may change.
  class Equivalents
    FILE = File.join(__dir__, "equivalent.yml")

    # @param entries [Array<Hash>] file, before, after (lines without indentation), reason
    def initialize(entries = YAML.safe_load_file(FILE) || [])
      @reasons = entries.to_h do |entry|
        [entry.values_at("file", "before", "after"), entry.fetch("reason")]
      end
    end

    # @param mutant [Mutant]
    # @return [String, nil] why it is equivalent
    def reason(mutant) = @reasons[[mutant.file, *mutant.lines(Sources.read(mutant.file))]]
  end
end
