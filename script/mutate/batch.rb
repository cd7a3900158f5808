# frozen_string_literal: true

module Mutate
  # Tests that run in one process.
  #
  # @!attribute files [Array<String>]
  # @!attribute names [Array<String>, nil] Class#name of each, nil for all of the files
  # @!attribute seconds [Float] that they take on an idle machine
  Batch = Data.define(:files, :names, :seconds) do
    def to_s = names ? "#{names.size} tests of #{files.join(" ")}" : files.join(" ")
  end
end
