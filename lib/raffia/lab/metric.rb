# frozen_string_literal: true

require_relative "statistics"

module Raffia
  module Lab
    # The main figure of an experiment, and which way is better.
    #
    # @!attribute [r] key
    #   @return [Symbol] the fact that holds it
    # @!attribute [r] unit
    #   @return [String]
    # @!attribute [r] more
    #   @return [Boolean] true when more is better
    Metric = Data.define(:key, :unit, :more) do
      # @param base [Array<Float>] the baseline's figures
      # @param own [Array<Float>]
      # @return [Statistics::Ratio, nil] above 1.0 when +own+ is better
      def speedup(base, own) = more ? Statistics.ratio(own, base) : Statistics.ratio(base, own)
    end

    class Metric
      # Wall-clock time of the work; less is better.
      SECONDS = new(key: :seconds, unit: "s", more: false)
      # Requests answered per second; more is better.
      RATE = new(key: :rate, unit: "requests/s", more: true)
    end

    # A further figure of a run.
    #
    # @!attribute [r] key
    #   @return [Symbol] the fact that holds it
    # @!attribute [r] label
    #   @return [String] the column's head
    # @!attribute [r] format
    #   @return [String] for Kernel#format
    ExtraMetric = Data.define(:key, :label, :format)
  end
end
