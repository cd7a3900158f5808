# frozen_string_literal: true

require_relative "subcommand"

module Raffia
  module CLI
    class Jobs < Command
      # Shows and changes recurring jobs.
      class Recurring < Subcommand
        # Changes, and their messages.
        CHANGES = {"run" => "is enqueued", "pause" => "is paused", "resume" => "is resumed",
                   "delete" => "is deleted"}.freeze

        def recurring(change = nil, name = nil)
          store(new: change == "run")
          return list unless change
          unless CHANGES.key?(change)
            raise ConfigError, "recurring #{change}? Use one of #{CHANGES.keys.join(", ")}"
          end
          raise OptionParser::MissingArgument, "NAME" unless name
          raise NotFound.new("there is no recurring job #{name}", name: name) unless schedule[name]

          jid = apply(change, name)
          answer({"name" => name, "jid" => jid}.compact) do
            "#{name} #{CHANGES[change]}#{" as #{jid}" if jid}"
          end
        end

        private

        def schedule = Raffia::Jobs.recurring

        # Returns the id of an enqueued job, else nil.
        def apply(change, name)
          return schedule.run(name) if change == "run"
          schedule.public_send((change == "delete") ? :remove : change, name)
          nil
        end

        def list
          rows = schedule.entries.map { |entry| facts(entry) }
          answer(rows) do
            next "Nothing recurs." if rows.empty?
            lines = rows.map do |row|
              [row["name"], row["spec"].to_s, row["zone"].to_s, row["job"], time(row["next"]),
                time(row["last"]), row["paused"] ? "paused" : ""]
            end
            table([["name", "schedule", "zone", "class", "next", "last", ""], *lines])
          end
        end

        def facts(entry)
          times = {"last" => schedule.last_run(entry.name)&.fetch("at"),
                   "next" => entry.times.next(schedule.now)}
          {**entry.to_h.transform_keys(&:to_s), "paused" => schedule.paused?(entry.name), **times}
        end
      end
    end
  end
end
