# frozen_string_literal: true

require_relative "explanation"
require_relative "cost_model"
require_relative "machine"
require_relative "measurement"

module Raffia
  class Pool
    class Auto
      # The strategy for the rest of the items, and why. It follows from the measurement, the
      # machine and the costs alone.
      #
      #     explain = ->(choice) { log(choice.on, choice.workers) }
      #     Raffia.map(items, on: :auto, explain: explain) { |item| ... }
      #
      # on:: the strategy
      # workers::
      # seconds:: estimates for all strategies but those with an obstacle
      # measurement::
      #
      # @api public
      Choice = Data.define(:on, :workers, :seconds, :measurement)

      class Choice
        # In the order of how much can go wrong.
        ORDER = %i[inline fibers threads processes ractors].freeze
        # A later one must take less than this share of the time of each before it.
        BETTER = 0.8
        # And so many seconds less than +:inline+.
        WORTH = 0.0005

        # @param measurement [Measurement]
        # @param machine [Machine]
        # @param costs [Costs]
        # @param on [Symbol, nil] the strategy, when that is settled
        # @return [Choice]
        def self.of(measurement, machine, costs = Costs.new, on: nil)
          estimate = CostModel.new(measurement, machine, costs)
          seconds = (ORDER - measurement.obstacles.keys).to_h do |strategy|
            [strategy, estimate.seconds(strategy)]
          end
          on ||= best(seconds)
          new(on:, workers: estimate.workers(on), seconds:, measurement:)
        end

        def self.best(seconds)
          chosen = seconds.keys.reduce do |best, other|
            (seconds[other] < seconds[best] * BETTER) ? other : best
          end
          (seconds[chosen] < seconds[:inline] - WORTH) ? chosen : :inline
        end
        private_class_method :best

        # @return [String] what was measured, and the estimate for each strategy
        def explain = Explanation.new(self, ORDER).to_s
        alias_method :to_s, :explain
      end
    end
  end
end
