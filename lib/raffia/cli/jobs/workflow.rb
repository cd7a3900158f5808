# frozen_string_literal: true

require "io/console"
require_relative "subcommand"

module Raffia
  module CLI
    class Jobs < Command
      # Shows a workflow: its state, and its steps. Where a table does not fit into the terminal,
      # each step has lines of its own.
      class Workflow < Subcommand
        TITLES = %w[step state kind class after jid error].freeze
        # Characters of a cell in a table for a terminal.
        CELL = 50
        private_constant :TITLES, :CELL

        def workflow(id)
          found = store.workflow(id) || raise(NotFound.new("there is no workflow #{id}: it may " \
            "have been removed since its end", name: id))
          answer(found) { [*summary(found), "", *steps(found["nodes"])] }
        end

        private

        def summary(found)
          why = ": #{found["reason"]}" if found["reason"]
          [Text.plain("#{found["state"]}#{why}"),
            "#{found["nodes"].size} steps, #{found["pending"]} pending, #{found["dead"]} dead",
            "since #{time(found["created_at"])}",
            *("ended #{time(found["completed_at"])}" if found["completed_at"])]
        end

        def steps(nodes)
          shown = ordered(nodes).first(part[:limit])
          more = nodes.size - shown.size
          [*lines(shown.map { |node| row(node, nodes) }),
            *("and #{more} more: --limit #{nodes.size} shows all" if more.positive?)]
        end

        # Elements follow their step, and undos come last.
        def ordered(nodes)
          elements = nodes.group_by { |node| node["parent"] }
          steps, undos = elements[nil].to_a.partition { |node| node["kind"] != "undo" }
          steps.flat_map { |node| [node, *elements[node["name"]]] } + undos
        end

        def row(node, nodes)
          [node["name"], state(node, nodes), node["kind"], node["class"], node["after"].join(", "),
            node["jid"], node["error"]]
        end

        def state(node, nodes)
          return node["state"] unless node["kind"] == "each"

          elements = nodes.select { |one| one["parent"] == node["name"] }
          ended = elements.count { |one| !%w[waiting active].include?(one["state"]) }
          elements.empty? ? node["state"] : "#{node["state"]}, #{ended} of #{elements.size}"
        end

        def lines(rows)
          return table([TITLES, *rows]) unless width

          rows = rows.map { |row| row.map { |cell| Text.plain(cell) } }
          short = rows.map { |row| row.map { |cell| shorten(cell) } }
          [rows, short].each do |some|
            lines = table([TITLES, *some])
            return lines if lines.all? { |line| line.size <= width }
          end
          rows.flat_map { |row| block(row) }
        end

        def shorten(text) = (text.size > CELL) ? "#{text[0, CELL - 1]}…" : text

        # A step in lines as wide as the terminal.
        def block(row)
          name, state, kind, job, after, jid, error = row
          facts = ["#{kind} #{job}", ("after #{after}" unless after.empty?),
            ("jid #{jid}" unless jid.empty?), (error unless error.empty?)].compact
          [*wrap("#{name}: #{state}", ""), *facts.flat_map { |fact| wrap(fact, "  ") }]
        end

        def wrap(text, indent)
          most = [width - indent.size, 10].max
          text.scan(/\S.{0,#{most - 1}}(?=\s|\z)|\S{1,#{most}}/).map { |line| indent + line.rstrip }
        end

        # Columns of the terminal, nil when the output is no terminal.
        def width
          return unless @out.respond_to?(:tty?) && @out.tty?

          @width ||= @out.winsize.last.then { |columns| columns.zero? ? 80 : columns }
        end
      end
    end
  end
end
