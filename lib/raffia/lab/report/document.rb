# frozen_string_literal: true

require "json"
require "time"
require_relative "../../base/error"

module Raffia
  module Lab
    module Report
      # The whole report as plain data: --json writes it, --html draws it, and `raffia lab compare`
      # reads it.
      module Document
        SCHEMA = 2

        extend self

        # outcomes: of {Outcome}. environment: of {Environment}. seed: of the order of the runs.
        # arguments: of the command line.
        def of(outcomes, environment:, interrupted:, started:, seed:, arguments:)
          {schema: SCHEMA, command: ["raffia", "lab", *arguments].join(" "),
           started_at: started.iso8601, seconds: (Time.now - started).round(1), interrupted:, seed:,
           environment:, checks: outcomes.to_h { |outcome| [outcome[:name], outcome[:check]] },
           experiments: outcomes}
        end

        def json(data) = "#{JSON.pretty_generate(data)}\n"

        # The data as {.read} returns them.
        def normal(data) = JSON.parse(JSON.generate(data), symbolize_names: true)

        # Raises ConfigError when the file is no report of this version.
        def read(path)
          data = JSON.parse(File.read(path), symbolize_names: true)
          unless data.is_a?(Hash) && data[:experiments].is_a?(Array) &&
              data[:environment].is_a?(Hash)
            refuse(path)
          end
          return data if data[:schema] == SCHEMA
          raise ConfigError, "#{path} has schema #{data[:schema].inspect}; this version of the " \
            "lab reads #{SCHEMA}: measure again"
        rescue JSON::ParserError
          refuse(path)
        rescue SystemCallError => error
          raise ConfigError, "#{path} cannot be read: #{error.message[/\A[^@]+/].strip}"
        end

        private

        def refuse(path)
          raise ConfigError,
            "#{path} is no result of the lab: name a file that raffia lab --json wrote"
        end
      end
    end
  end
end
