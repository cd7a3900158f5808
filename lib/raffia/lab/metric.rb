# frozen_string_literal: true

require_relative "statistics"

module Raffia
  module Lab
    # The main figure of an experiment: the key of the fact that holds it, its unit, and whether
    # more is better.
    class Metric < Data.define(:key, :unit, :more)
      # Wall-clock time of the work.
      SECONDS = new(key: :seconds, unit: "s", more: false)
      RATE = new(key: :rate, unit: "requests/s", more: true)

      # Ratio of the baseline's figures and our own, above 1.0 when our own are better.
      def speedup(base, own) = more ? Statistics.ratio(own, base) : Statistics.ratio(base, own)
    end

    # A further figure of a run: the fact's key, the column's head, and a format for Kernel#format.
    ExtraMetric = Data.define(:key, :label, :format) do
      def initialize(key:, label: key.to_s, format: "%d") = super
    end

    # A ratio that should hold on any machine, measured side by side in one run; met is nil without
    # the rows to judge it by. A missed goal is reported and does not fail the run, because a busy
    # machine may miss it. Wrong results fail it (see {Experiment}).
    Goal = Data.define(:text, :value, :met) do
      def self.at_least(text, value, bound) = new(text:, value:, met: value && value >= bound)

      def self.at_most(text, value, bound) = new(text:, value:, met: value && value <= bound)
    end
  end
end
