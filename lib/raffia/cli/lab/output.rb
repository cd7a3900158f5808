# frozen_string_literal: true

require_relative "../../lab/comparison"
require_relative "../../lab/report/document"
require_relative "../../lab/report/page"
require_relative "../../lab/report/target"
require_relative "../../lab/report/text"

module Raffia
  module CLI
    class Lab < Command
      # Where reports go: the terminal, and the files of --json and --html.
      class Output
        # Options that name a file.
        FILES = %i[json html].freeze

        attr_reader :text

        # Raises ConfigError for a wrong tolerance, or files that cannot be written.
        def initialize(out, options)
          @tolerance = tolerance(options.fetch(:tolerance, 0.0))
          @targets = targets(options.slice(*FILES))
          screen = Raffia::Lab::Report::Screen.of(out, color: Raffia.config.color)
          @text = Raffia::Lab::Report::Text.new(out, screen)
        end

        # Shows what has changed since an earlier report, and returns the report with it.
        def compared(before, after)
          data = Raffia::Lab::Report::Document.normal(after)
          comparison = Raffia::Lab::Comparison.new(before, data, tolerance: @tolerance).to_h
          @text.comparison(comparison)
          {**after, comparison:}
        end

        def write(report)
          @targets[:json]&.write(Raffia::Lab::Report::Document.json(report))
          @targets[:html]&.write(Raffia::Lab::Report::Page.of(report))
        end

        # Whether anything but a control has become worse.
        def worse?(report)
          rows = report.dig(:comparison, :experiments).to_a.flat_map { |each| each[:rows] }
          rows.any? { |row| row[:verdict] == "worse" && !row[:control] }
        end

        private

        def tolerance(percent)
          return percent / 100 if percent.finite? && percent >= 0
          raise ConfigError, "tolerance: #{percent} makes no sense: use percents from 0 up"
        end

        def targets(paths)
          if paths.size > paths.values.uniq { |path| File.expand_path(path) }.size
            raise ConfigError, "--json and --html name the same file: #{paths[:json]}"
          end
          paths.transform_values { |path| Raffia::Lab::Report::Target.new(path) }
        end
      end
    end
  end
end
