# frozen_string_literal: true

require "test_helper"
require "raffia/lab/outcome"
require "raffia/lab/plan"

module Raffia
  module Lab
    # The parent of tests about what is made of the runs.
    class OutcomeCase < TestCase
      SECONDS = {
        [:inline, 1] => [4.0, 4.1, 3.9], [:threads, 2] => [4.05, 3.95, 4.0],
        [:ractors, 1] => [4.2, 4.1, 4.3],
        [:ractors, 2] => [2.5, 2.6, 2.4], [:processes, 1] => [4.1, 4.1, 4.2],
        [:processes, 2] => [2.0, 2.1, 2.05],
        [:plain_ractors, 1] => [4.0, 4.1, 4.2], [:plain_ractors, 2] => [2.5, 2.5, 2.5],
        [:plain_processes, 1] => [4.1, 4.1, 4.2], [:plain_processes, 2] => [2.0, 2.1, 2.05]
      }.freeze

      # @return [Hash{Symbol => Object}] of the squares
      def outcome(seconds: SECONDS, finished: true, obstacles: {}, **changes)
        Outcome.of(rows(seconds, obstacles, changes), finished:)
      end

      def rows(seconds = SECONDS, obstacles = {}, changes = {})
        selection, = Plan.of(["squares"], runs: 3, scale: 0.5, cores: 2)
        results = seconds.to_h do |(variant, workers), list|
          [Cell.new("squares", variant, workers),
            list.map { |value| result(value, changes.fetch(variant, {})) }]
        end
        Rows.new(selection, results, obstacles, 2)
      end

      def result(seconds, changes)
        {seconds:, cpu: 4.0, pss: 20 * 1_048_576, threads: 1, processes: 1,
         checks: {"the sum equals the formula's" => true}, **changes}
      end

      def row(outcome, variant, workers)
        outcome[:rows].find { |row| row[:variant] == variant.to_s && row[:workers] == workers }
      end
    end
  end
end
