# frozen_string_literal: true

module Raffia
  module Simulation
    class Exploration
      # Options of an exploration beside those of its runs. +runs+: nil for any number; +seconds+:
      # real ones, nil for no limit; +strategy+: the object, +strategy_name+ for schedules;
      # +verify+: look for nondeterminism; +progress+: is called with the number of runs; +command+:
      # of the shell, which runs it again.
      #
      # @api private
      Options = ::Data.define(:runs, :seconds, :seed, :strategy, :strategy_name, :shrink, :verify,
        :corpus, :report, :progress, :command) do
        # Raises ConfigError for values that mean nothing.
        def check
          Settings.number(:runs, runs, ::Integer, least: 1) if runs
          Settings.number(:seconds, seconds, ::Numeric) if seconds
          Settings.number(:seed, seed, ::Integer)
          self
        end
      end
    end
  end
end
