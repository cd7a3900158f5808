# frozen_string_literal: true

require "cgi/escape"

module Raffia
  module Charts
    # SVG elements as text. Positions along the x axis are shares of the width, written as
    # percentages; others are pixels. A chart is as wide as its page, and its text keeps the size.
    module SVG
      # Fill of a control's bar, which distinguishes it without colours and in print.
      PATTERNS = <<~SVG
        <svg class="patterns" width="0" height="0" aria-hidden="true" focusable="false"><defs>
        <pattern id="hatched" width="6" height="6" patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"><rect class="ground" width="6" height="6"/>
        <line class="stripe" x1="0" y1="0" x2="0" y2="6"/></pattern>
        </defs></svg>
      SVG
      MARKERS = [
        "M-4.5,0 a4.5,4.5 0 1,0 9,0 a4.5,4.5 0 1,0 -9,0 z", "M-4,-4 h8 v8 h-8 z",
        "M0,-5.5 L5.5,4.5 L-5.5,4.5 z", "M0,-6 L5,0 L0,6 L-5,0 z",
        "M-5,-2 h3.5 v-3.5 h3 v3.5 h3.5 v3 h-3.5 v3.5 h-3 v-3.5 h-3.5 z",
        "M0,5.5 L5.5,-4.5 L-5.5,-4.5 z"
      ].freeze
      # Height of a stretched drawing, in its own units.
      STRETCHED = 1000

      module_function

      def chart(height, label, elements, css = "chart")
        element(:svg, {class: css, role: "img", width: "100%", height:, "aria-label": label},
          "\n#{elements.join("\n")}\n")
      end

      # +share+ is 0.0 to 1.0 of the chart's width.
      def x(share) = "#{number(share * 100)}%"

      # The title shows under the pointer.
      def rect(from, to, y, height, css, title = nil)
        element(:rect, {class: css, x: x(from), y:, width: x([to - from, 0].max), height:, rx: 2},
          (element(:title, {}, escape(title)) if title))
      end

      def line(from, y1, to, y2, css)
        element(:line, {class: css, x1: x(from), y1:, x2: x(to), y2:})
      end

      def circle(share, cy, r, css) = element(:circle, {class: css, cx: x(share), cy:, r:})

      # A point of a line, in its own svg element: only that can be placed by percentages.
      def marker(share, y, kind, css)
        element(:svg, {x: x(share), y:, width: 1, height: 1, overflow: "visible"},
          element(:path, {class: css, d: MARKERS[kind % MARKERS.size]}))
      end

      # +anchor+ is :start, :middle or :end.
      def text(share, y, content, css, anchor = :start)
        element(:text, {class: css, x: x(share), y:, "text-anchor": anchor}, escape(content))
      end

      # Text left of the chart.
      def label(y, content)
        element(:text, {class: "tick scale", x: -6, y: y + 4, "text-anchor": :end}, escape(content))
      end

      # A drawing, +columns+ wide and {STRETCHED} high, stretched to the chart's width.
      def stretched(y, height, columns, elements)
        box = "0 0 #{columns} #{STRETCHED}"
        element(:svg, {y:, width: "100%", height:, viewBox: box, preserveAspectRatio: "none"},
          elements.join)
      end

      # The area below a series' line, in a stretched drawing.
      def polygon(points, series) = element(:polygon, {class: "area s#{series}", points:})

      def polyline(points, series) = element(:polyline, {class: "line s#{series}", points:})

      # A line without axes, as high as a line of text.
      def sparkline(values)
        highest = [values.max.to_f, 1].max
        points = values.each_with_index.map do |value, index|
          "#{index * 2},#{20 - (value * 18 / highest).round}"
        end
        element(:svg, {class: "spark", viewBox: "0 0 #{values.size * 2} 22", "aria-hidden": true},
          element(:polyline, {points: points.join(" ")}))
      end

      def element(name, attributes, content = nil)
        start = attributes.reduce("<#{name}") do |text, (key, value)|
          %(#{text} #{key}="#{escape(value.is_a?(Float) ? number(value) : value)}")
        end
        content ? "#{start}>#{content}</#{name}>" : "#{start}/>"
      end

      def escape(text) = CGI.escapeHTML(text.to_s)

      # Equal numbers give equal text, so that an unchanged chart has the same SVG.
      def number(value) = format("%.2f", value).sub(/\.?0+\z/, "")

      private_class_method :number
    end
  end
end
