# frozen_string_literal: true

module Raffia
  module Simulation
    class Timeline
      # Signs and colours of a terminal.
      #
      # @api private
      class Style
        def initialize(color)
          @color = color
          @unicode = ::Encoding.default_external == ::Encoding::UTF_8
        end

        def bar = @unicode ? "│" : "|"

        def ellipsis = @unicode ? "…" : "~"

        def cross = @unicode ? "✗" : "x"

        def bold(text) = paint(text, 1)

        def dim(text) = paint(text, 2)

        def red(text) = paint(text, 31)

        def yellow(text) = paint(text, 33)

        def cyan(text) = paint(text, 36)

        private

        def paint(text, code)
          (@color && !text.strip.empty?) ? "\e[#{code}m#{text}\e[0m" : text
        end
      end
    end
  end
end
