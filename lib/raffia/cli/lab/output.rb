# frozen_string_literal: true

require_relative "../../lab/report/document"
require_relative "../../lab/report/page"
require_relative "../../lab/report/text"

module Raffia
  module CLI
    module Lab
      # Where reports go.
      #
      # @api private
      module Output
        module_function

        def text(out, config)
          Raffia::Lab::Report::Text.new(out,
            Raffia::Lab::Report::Screen.of(out, color: config.color))
        end

        def write(targets, report)
          targets[:json]&.write(Raffia::Lab::Report::Document.json(report))
          targets[:html]&.write(Raffia::Lab::Report::Page.of(report))
        end

        # Whether anything but a control has become worse.
        def worse?(comparison)
          return false unless comparison
          comparison[:experiments].flat_map { |each| each[:rows] }
            .any? { |row| row[:verdict] == "worse" && !row[:control] }
        end
      end
    end
  end
end
