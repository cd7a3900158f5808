# frozen_string_literal: true

require "json"
require "time"

module Raffia
  module Lab
    module Report
      # The whole report as plain data, which is also what --json writes and what the page of --html
      # is drawn from.
      module Document
        SCHEMA = 2

        module_function

        # @param outcomes [Array<Hash>] of {Outcome}
        # @param environment [Hash] of {Environment}
        # @param interrupted [Boolean]
        # @param started [Time]
        # @param seed [Integer] of the order of the runs
        # @param arguments [Array<String>] of the command line
        # @return [Hash{Symbol => Object}]
        def of(outcomes, environment:, interrupted:, started:, seed:, arguments:)
          {schema: SCHEMA, command: ["raffia", "lab", *arguments].join(" "),
           started_at: started.iso8601,
           seconds: (Time.now - started).round(1), interrupted:, seed:, environment:,
           checks: outcomes.to_h { |outcome| [outcome[:name], outcome[:check]] },
           experiments: outcomes}
        end

        # @return [String]
        def json(data) = "#{JSON.pretty_generate(data)}\n"
      end
    end
  end
end
