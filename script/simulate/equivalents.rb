# frozen_string_literal: true

require "yaml"

module Simulations
  # Mutants that no model can tell from the original. They do not count.
  class Equivalents
    def self.load = new(YAML.load_file(File.join(__dir__, "equivalent.yml"), aliases: true))

    # @param entries [Array<Hash>] with file, change (as {MutantSource} writes it) and reason
    def initialize(entries)
      @entries = entries
    end

    # @param file [String] below lib/raffia, without ".rb"
    # @param mutants [Array<MutantSource::Mutant>] all of this file
    # @return [Array<MutantSource::Mutant>] those that count
    # @raise [RuntimeError] an entry of the file is the change of no mutant
    def without(file, mutants)
      changes = @entries.filter_map { |entry| entry["change"] if entry["file"] == file }
      unknown = changes - mutants.map(&:change)
      return mutants.reject { |mutant| changes.include?(mutant.change) } if unknown.empty?

      raise "equivalent.yml: #{file} has no mutant #{unknown.join(", ")}: change or remove the entry"
    end
  end
end
