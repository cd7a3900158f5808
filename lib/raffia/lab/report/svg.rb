# frozen_string_literal: true

require "cgi/escape"

module Raffia
  module Lab
    module Report
      # SVG elements as text. Positions along the x axis are percentages and the others pixels, so that a chart is as wide as
      # its page and its letters stay as large as the page's.
      module SVG
        module_function

        # @param label [String] what a screen reader says instead
        # @return [String]
        def chart(height, label, elements)
          "<svg role=\"img\" width=\"100%\" height=\"#{number(height)}\" aria-label=\"#{escape(label)}\">\n#{elements.join("\n")}\n</svg>"
        end

        # @param share [Float] 0.0 to 1.0 of the chart's width
        # @return [String]
        def x(share) = "#{number(share * 100)}%"

        # @return [String]
        def rect(from, to, y, height, css)
          "<rect class=\"#{css}\" x=\"#{x(from)}\" y=\"#{number(y)}\" width=\"#{x([to - from, 0].max)}\" height=\"#{number(height)}\" rx=\"2\"/>"
        end

        # @return [String]
        def line(from, y_from, to, y_to, css)
          "<line class=\"#{css}\" x1=\"#{x(from)}\" y1=\"#{number(y_from)}\" x2=\"#{x(to)}\" y2=\"#{number(y_to)}\"/>"
        end

        # @param anchor [Symbol] :start, :middle or :end
        # @return [String]
        def text(share, y, content, css, anchor = :start)
          "<text class=\"#{css}\" x=\"#{x(share)}\" y=\"#{number(y)}\" text-anchor=\"#{anchor}\">#{escape(content)}</text>"
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
