# frozen_string_literal: true

require_relative "subcommand"

module Raffia
  module CLI
    class Jobs < Command
      # Shows a workflow: its state, and its steps.
      class Workflow < Subcommand
        TITLES = %w[step state kind class after jid error].freeze
        private_constant :TITLES

        def workflow(id)
          found = store.workflow(id) || raise(NotFound.new("there is no workflow #{id}: it may " \
            "have been removed since its end", name: id))
          answer(found) { [*summary(found), "", *table([TITLES, *rows(found)])] }
        end

        private

        def summary(found)
          why = ": #{found["reason"]}" if found["reason"]
          ["#{found["state"]}#{why}",
            "#{found["nodes"].size} steps, #{found["pending"]} pending, #{found["dead"]} dead",
            "since #{time(found["created_at"])}" \
              "#{", ended #{time(found["completed_at"])}" if found["completed_at"]}"]
        end

        def rows(found)
          found["nodes"].first(part[:limit]).map do |node|
            [node["name"], node["state"], node["kind"], node["class"], node["after"].join(", "),
              node["jid"], node["error"]]
          end
        end
      end
    end
  end
end
