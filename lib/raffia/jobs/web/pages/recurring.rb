# frozen_string_literal: true

require_relative "../../recurring"
require_relative "../page"
require_relative "../pager"

module Raffia
  module Jobs
    class Web
      module Pages
        # Recurring jobs.
        class Recurring < Page
          PAGE = 100

          # An entry of the schedule and its state.
          Row = Data.define(:entry, :paused, :last, :next)

          def data
            schedule.entries.map { |entry| row(entry) }.map do |row|
              {**row.entry.to_h.transform_keys(&:to_s), "paused" => row.paused,
                                                        "last" => row.last, "next" => row.next}
            end
          end

          def change(action)
            name = required("name")
            unless schedule[name]
              raise NotFound.new("There is no recurring job #{name}.", name:)
            end

            case action
            when "run" then outcome(*(schedule.run(name) ? ["run", 1] : ["unchanged", 0]))
            when "pause", "resume"
              schedule.public_send(action, name)
              outcome("#{action}d", 1)
            else super
            end
          end

          private

          def schedule
            @schedule ||=
              Jobs::Recurring::Schedule.new(Client.new(store, Setup.current.client_middleware))
          end

          def entries = @entries ||= schedule.entries

          def shown = (entries[pager.offset, PAGE] || []).map { |entry| row(entry) }

          def pager = @pager ||= Pager.new(self, PAGE, total: entries.size)

          def row(entry)
            paused = schedule.paused?(entry.name)
            Row.new(entry:, paused:, last: schedule.last_run(entry.name),
              next: (following(entry) unless paused))
          end

          # Ignores the last enqueued time, because a late worker catches up.
          def following(entry) = entry.times.next(Time.now.to_f)
        end
      end
    end
  end
end
