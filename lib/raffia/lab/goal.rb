# frozen_string_literal: true

module Raffia
  module Lab
    # A ratio that should hold on any machine, measured side by side in one run. A missed goal is
    # reported and does not fail the run, because a busy machine may miss it. Wrong results fail it
    # (Experiment#verify).
    #
    # @!attribute [r] met
    #   @return [Boolean, nil] nil when the rows to judge it by are not there
    Goal = Data.define(:text, :value, :met) do
      # @param text [String] the goal in words
      # @param value [Float, nil] as measured
      # @param bound [Float]
      # @return [Goal]
      def self.at_least(text, value, bound) = new(text:, value:, met: value && value >= bound)

      # @see .at_least
      def self.at_most(text, value, bound) = new(text:, value:, met: value && value <= bound)
    end
  end
end
