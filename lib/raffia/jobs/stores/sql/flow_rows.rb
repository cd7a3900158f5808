# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Reads flows and their steps as {Store::Flows} returns them.
        # @api private
        module FlowRows
          COLUMNS = "id, class, run, status, cancelled, encrypted, parent, state, " \
            "result, error, started_at, ended_at, steps"
          SIGNALS = "SELECT name FROM {flow_signals} WHERE flow = $1 AND taken = 0 ORDER BY number"
          STEPS = "SELECT place, kind, name, value, at, awaits FROM {flow_steps} " \
            "WHERE flow = $1 ORDER BY number"
          COUNTS = "SELECT status, count(*) FROM (SELECT status FROM {flows} ORDER BY job DESC " \
            "LIMIT $1) AS newest GROUP BY status"

          class << self
            # @return [Hash, nil]
            def find(db, id)
              row = db.rows("SELECT #{COLUMNS} FROM {flows} WHERE id = $1", id).first
              to_h(db, row) if row
            end

            # @return [Array<FlowStep>] in the order in which they were recorded
            def steps(db, id)
              db.rows(STEPS, id).map do |place, kind, name, value, at, signal|
                FlowStep.new(place:, kind:, name:, value: text(value), at:, signal:)
              end
            end

            # @return [Array<Hash>]
            def newest(db, status, offset, limit)
              where = "WHERE status = $3" if status
              sql = "SELECT #{COLUMNS} FROM {flows} #{where} ORDER BY job DESC LIMIT $1 OFFSET $2"
              db.rows(sql, limit, offset, *status).map { |row| to_h(db, row) }
            end

            # @return [Hash{String => Integer}] by status
            def counts(db, most) = db.rows(COUNTS, most).to_h

            private

            def to_h(db, row)
              id, name, run, status, cancelled, encrypted, parent, state, *rest = row
              result, error, started_at, ended_at, steps = rest
              {"id" => id, "class" => name, "run" => run, "status" => status,
               "cancelled" => cancelled == 1, "encrypted" => encrypted == 1, "parent" => parent,
               "state" => text(state), "result" => text(result), "error" => error,
               "started_at" => started_at, "ended_at" => ended_at, "steps" => steps,
               "signals" => db.rows(SIGNALS, id).flatten}
            end

            # Columns of bytes are read as such.
            def text(bytes) = bytes&.dup&.force_encoding(Encoding::UTF_8)
          end
        end
      end
    end
  end
end
