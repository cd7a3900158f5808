# frozen_string_literal: true

require_relative "../text"

module Raffia
  module CLI
    class Top < Command
      # Formats the actors of processes for people.
      #
      # @api private
      class Table
        COLUMNS = %w[ACTOR ON STATUS WAITING HANDLED RESTARTS DOING ERROR].freeze
        # Columns that are aligned to the right.
        NUMBERS = 3..5
        NOBODY = "No process shows its actors: start one with RAFFIA_TOP=on, or with `raffia run " \
          "--top`."
        private_constant :COLUMNS, :NUMBERS, :NOBODY

        # width: of the longest line, nil for any.
        def initialize(views, width = nil)
          @views = views
          @width = width
        end

        def lines
          return [NOBODY] if @views.empty?

          @views.flat_map { |view| [title(view), *table(view), *more(view), ""] }[..-2]
            .map { |line| @width ? line[0, @width] : line }
        end

        private

        def title(view)
          "#{Text.plain(view[:program])} (#{view[:pid]}): #{count(view[:actors], "actor")}, " \
            "#{view[:at]}"
        end

        def count(number, what) = "#{number} #{what}#{"s" unless number == 1}"

        def more(view)
          return [] if view[:left_out].zero?
          ["and #{count(view[:left_out], "actor")} more without a supervisor"]
        end

        def table(view)
          return [] if view[:tree].empty?

          rows = [COLUMNS, *view[:tree].flat_map { |node| branch(node) }]
          widths = rows.transpose.map { |cells| cells.map(&:size).max }
          rows.map do |row|
            row.zip(widths).each_with_index.map { |(cell, width), index|
              NUMBERS.cover?(index) ? cell.rjust(width) : cell.ljust(width)
            }.join("  ").rstrip
          end
        end

        # lead is before its own line, below before the lines of its children.
        def branch(node, lead = "", below = "")
          *others, last = node[:children]
          [row(node, lead), *others.flat_map { |child| branch(child, "#{below}├ ", "#{below}│ ") },
            *(branch(last, "#{below}└ ", "#{below}  ") if last)]
        end

        def row(node, lead)
          ["#{lead}#{label(node)}", node[:on], node[:status], node[:mailbox], node[:handled],
            node[:restarts], node[:doing], node[:error]].map { |cell| Text.plain(cell) }
        end

        def label(node)
          kind = node[:class] || "Actor"
          kind = "block" if kind == "Raffia::Supervisor::BlockActor"
          "#{node[:name] || "##{node[:id]}"} #{kind}#{" pool" if node[:kind] == "pool"}"
        end
      end
    end
  end
end
