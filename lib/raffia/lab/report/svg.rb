# frozen_string_literal: true

require "cgi/escape"

module Raffia
  module Lab
    module Report
      # SVG elements as text. Positions along the x axis are percentages and the others pixels, so
      # that a chart is as wide as its page and its letters stay as large as the page's.
      module SVG
        # What fills a bar besides a colour, so that a reader who sees none, or a print, can tell
        # the kinds apart.
        PATTERNS = <<~SVG
          <svg class="patterns" width="0" height="0" aria-hidden="true" focusable="false"><defs>
          <pattern id="hatched" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="ground" width="6" height="6"/><line class="stripe" x1="0" y1="0" x2="0" y2="6"/></pattern>
          </defs></svg>
        SVG
        # Shapes of the points of a line, around 0,0.
        MARKERS = [
          "M-4.5,0 a4.5,4.5 0 1,0 9,0 a4.5,4.5 0 1,0 -9,0 z", "M-4,-4 h8 v8 h-8 z",
          "M0,-5.5 L5.5,4.5 L-5.5,4.5 z", "M0,-6 L5,0 L0,6 L-5,0 z",
          "M-5,-2 h3.5 v-3.5 h3 v3.5 h3.5 v3 h-3.5 v3.5 h-3 v-3.5 h-3.5 z",
          "M0,5.5 L5.5,-4.5 L-5.5,-4.5 z"
        ].freeze

        module_function

        # @param label [String] what a screen reader says instead
        # @param elements [Array<String>]
        # @return [String]
        def chart(height, label, elements)
          "<svg role=\"img\" width=\"100%\" height=\"#{number(height)}\" " \
            "aria-label=\"#{escape(label)}\">\n#{elements.join("\n")}\n</svg>"
        end

        # @param share [Float] 0.0 to 1.0 of the chart's width
        # @return [String]
        def x(share) = "#{number(share * 100)}%"

        # @return [String]
        def rect(from, to, y, height, css)
          "<rect class=\"#{css}\" x=\"#{x(from)}\" y=\"#{number(y)}\" " \
            "width=\"#{x([to - from, 0].max)}\" height=\"#{number(height)}\" rx=\"2\"/>"
        end

        # @return [String]
        def line(from, y_from, to, y_to, css)
          "<line class=\"#{css}\" x1=\"#{x(from)}\" y1=\"#{number(y_from)}\" x2=\"#{x(to)}\" " \
            "y2=\"#{number(y_to)}\"/>"
        end

        # @return [String]
        def circle(share, y, radius, css)
          "<circle class=\"#{css}\" cx=\"#{x(share)}\" cy=\"#{number(y)}\" " \
            "r=\"#{number(radius)}\"/>"
        end

        # An svg of its own, because only that can be placed by percentages.
        #
        # @param kind [Integer] which of the shapes
        # @return [String]
        def marker(share, y, kind, css)
          "<svg x=\"#{x(share)}\" y=\"#{number(y)}\" width=\"1\" height=\"1\" " \
            "overflow=\"visible\"><path class=\"#{css}\" " \
            "d=\"#{MARKERS[kind % MARKERS.size]}\"/></svg>"
        end

        # @param anchor [Symbol] :start, :middle or :end
        # @return [String]
        def text(share, y, content, css, anchor = :start)
          "<text class=\"#{css}\" x=\"#{x(share)}\" y=\"#{number(y)}\" " \
            "text-anchor=\"#{anchor}\">#{escape(content)}</text>"
        end

        # @return [String] safe in text and in attributes
        def escape(text) = CGI.escapeHTML(text.to_s)

        # The same number always in the same letters: a chart that did not change must not differ.
        def number(value) = format("%.2f", value).sub(/\.?0+\z/, "")

        private_class_method :number
      end
    end
  end
end
