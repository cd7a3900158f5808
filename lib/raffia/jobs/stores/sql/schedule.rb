# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        class Schedule < Store::Schedule
          DUE = "SELECT id, queue, payload FROM {jobs} WHERE state IN ('scheduled', 'retry') " \
            "AND at <= {now} ORDER BY at, id LIMIT $1 {skip_locked}"
          NEXT = "SELECT at - {now} FROM {jobs} WHERE state IN ('scheduled', 'retry') " \
            "ORDER BY at LIMIT 1"
          PROMOTE = "UPDATE {jobs} SET state = 'queue', at = {now}, place = $2, payload = $3 " \
            "WHERE id = $1"

          needs :database

          def promote(limit = 1000)
            due = @database.read { |db| next_due(db) }
            return due unless due == 0

            @database.write(durable: false) do |db|
              (promote_due(db, limit) < limit) ? next_due(db) : 0
            end
          end

          def now = @database.read { |db| db.rows("SELECT {now}") }[0][0].to_f

          # Seconds, nil when no job is due ever.
          def next_due(db) = db.rows(NEXT).dig(0, 0)&.clamp(0..)

          private

          def promote_due(db, limit)
            rows = db.rows(DUE, limit)
            rows.zip(db.numbers(rows.size)) do |(id, _, payload), number|
              db.run(PROMOTE, id, number, Store::Rewrite.queued(payload))
            end
            db.wake(rows.map { |row| row[1] }.uniq)
            rows.size
          end
        end
      end
    end
  end
end
