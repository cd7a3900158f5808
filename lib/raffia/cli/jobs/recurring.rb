# frozen_string_literal: true

module Raffia
  module CLI
    module Jobs
      # The command for recurring jobs.
      # @api private
      class Recurring
        # Changes, and their messages.
        CHANGES = {"run" => "is enqueued", "pause" => "rests", "resume" => "goes on",
                   "delete" => "is deleted"}.freeze

        def initialize(context)
          @context = context
          @schedule = Raffia::Jobs.recurring
        end

        def recurring(change = nil, name = nil)
          @context.store(new: change == "run")
          return list unless change
          unless CHANGES.key?(change)
            raise ConfigError, "recurring #{change}? Use one of #{CHANGES.keys.join(", ")}"
          end
          raise OptionParser::MissingArgument, "NAME" unless name
          raise NotFound.new("there is no recurring job #{name}", name: name) unless @schedule[name]

          jid = carry_out(change, name)
          @context.answer({"name" => name, "jid" => jid}.compact) do
            "#{name} #{CHANGES[change]}#{" as #{jid}" if jid}"
          end
        end

        private

        # NIL? The id of a job.
        def carry_out(change, name)
          case change
          when "run" then @schedule.run(name)
          when "pause" then @schedule.pause(name) && nil
          when "resume" then @schedule.resume(name) && nil
          else @schedule.remove(name) && nil
          end
        end

        def list
          entries = @schedule.entries
          rows = entries.map { |entry| facts(entry) }
          @context.answer(rows) do
            titles = %w[name schedule zone class next last] + [""]
            lines = rows.map do |row|
              [row["name"], row["spec"].to_s, row["zone"].to_s, row["job"],
                @context.time(row["next"]),
                @context.time(row["last"]), row["paused"] ? "paused" : ""]
            end
            rows.empty? ? "Nothing recurs." : @context.table([titles, *lines])
          end
        end

        def facts(entry)
          times = {"last" => @schedule.last_run(entry.name)&.fetch("at"),
                   "next" => entry.times.next(@schedule.now)}
          {**entry.to_h.transform_keys(&:to_s), "paused" => @schedule.paused?(entry.name), **times}
        end
      end
    end
  end
end
