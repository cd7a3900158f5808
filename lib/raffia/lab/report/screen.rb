# frozen_string_literal: true

require "io/console"

module Raffia
  module Lab
    module Report
      # The terminal or file of a report: columns, colours, and whether it shows Unicode.
      class Screen < Data.define(:width, :color, :unicode)
        PIPED = 120
        USUAL = 80
        NARROWEST = 40

        # color: :always, :never or :auto (see Config#color).
        def self.of(io, color: :auto)
          tty = io.respond_to?(:tty?) && io.tty?
          new(width: width(io, tty), color: color == :always || (color == :auto && tty),
            unicode: Encoding.default_external == Encoding::UTF_8)
        end

        # A pipe or file has no width; with 120 columns a table drops only the least important ones.
        def self.width(io, tty)
          columns = tty ? io.winsize.last : PIPED
          columns.zero? ? USUAL : [columns, NARROWEST].max
        rescue SystemCallError
          USUAL
        end
        private_class_method :width

        def bold(text) = paint(text, 1)

        def dim(text) = paint(text, 2)

        def red(text) = paint(text, 31)

        def green(text) = paint(text, 32)

        def yellow(text) = paint(text, 33)

        def cyan(text) = paint(text, 36)

        # Lines that fit the width.
        def wrap(text, indent = 0)
          room = width - indent
          text.split.each_with_object([+""]) do |word, lines|
            lines << +"" if lines.last.size + word.size + 1 > room && !lines.last.empty?
            lines.last << (lines.last.empty? ? word : " #{word}")
          end.map { |line| "#{" " * indent}#{line}" }
        end

        private

        def paint(text, code) = color ? "\e[#{code}m#{text}\e[0m" : text
      end
    end
  end
end
