# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # Asks for each of the two states: the index has the order of one.
        class Schedule < SQL::Schedule
          STATES = %w[scheduled retry].freeze
          DUE_IN = STATES.to_h do |state|
            [state, "SELECT id, queue, payload, priority, fair_key, fair_weight FROM {jobs} " \
              "FORCE INDEX (due) WHERE state = '#{state}' AND at <= {now} ORDER BY at, id LIMIT $1 " \
              "{skip_locked}"]
          end.freeze
          NEXT_IN = STATES.map do |state|
            "(SELECT at - {now} FROM {jobs} FORCE INDEX (due) WHERE state = '#{state}' " \
              "ORDER BY at LIMIT 1)"
          end.join(", ").then { |list| "SELECT #{list}" }.freeze

          private

          def next_at(db) = db.rows(NEXT_IN).first.compact.min

          def due(db, limit)
            STATES.each_with_object([]) do |state, rows|
              left = limit - rows.size
              rows.concat(db.rows(DUE_IN[state], left)) if left > 0
            end
          end
        end
      end
    end
  end
end
