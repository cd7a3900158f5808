# frozen_string_literal: true

require_relative "charts/area_chart"
require_relative "charts/bar_chart"
require_relative "charts/column_chart"
require_relative "charts/line_chart"

module Raffia
  # Draws the charts of the lab's report and of the jobs' dashboard as SVG text. They need no script
  # and fit any width; charts.css has their look.
  #
  # @api private
  module Charts
    # Style of all charts. The page sets the colours that the file names at its top.
    CSS = File.join(__dir__, "charts/charts.css").freeze
  end
end
