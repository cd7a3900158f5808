# frozen_string_literal: true

require_relative "../../lab/comparison"
require_relative "output"

module Raffia
  module CLI
    module Lab
      # `raffia lab compare OLD NEW`: two results, nothing is run.
      #
      # @api private
      class Compare
        def initialize(out, tolerance:, targets:)
          @out = out
          @tolerance = tolerance
          @targets = targets
        end

        # The exit code: {FAILED} when something has become worse.
        def call(paths)
          unless paths.size == 2
            raise ConfigError, "raffia lab compare needs two files: raffia lab compare OLD.json " \
              "NEW.json"
          end
          before, after = paths.map { |path| Raffia::Lab::Report::Document.read(path) }
          comparison = Raffia::Lab::Comparison.new(before, after, tolerance: @tolerance).to_h
          Output.text(@out, Raffia.config).comparison(comparison)
          Output.write(@targets, {**after, comparison:})
          Output.worse?(comparison) ? FAILED : OK
        end
      end
    end
  end
end
