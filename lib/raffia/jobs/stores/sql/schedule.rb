# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        class Schedule < Store::Schedule
          DUE = "SELECT id, queue, payload, priority, fair_key, fair_weight FROM {jobs} " \
            "WHERE state IN ('scheduled', 'retry') AND at <= {now} ORDER BY at, id LIMIT $1 {skip_locked}"
          NEXT = "SELECT at - {now} FROM {jobs} WHERE state IN ('scheduled', 'retry') " \
            "ORDER BY at LIMIT 1"
          PROMOTE = "UPDATE {jobs} SET state = 'queue', rated = 0, at = {now}, place = $2, " \
            "payload = $3, pass = $4 WHERE id = $1"

          needs :database, :rate_admission

          def promote(limit = 1000, rates: true)
            due = @database.read { |db| next_due(db, rates) }
            return due unless due == 0

            @database.write(durable: false) do |db|
              more = promote_due(db, limit) >= limit
              db.wake(@rate_admission.open_keys(db, limit)) if rates
              more ? 0 : next_due(db, rates)
            end
          end

          def now = @database.read { |db| db.rows("SELECT {now}") }[0][0].to_f

          # Seconds until a worker that waits has something to do: nil when nothing is due ever.
          def next_work(db)
            @rate_admission.next_opening(db)
            [next_at(db), @rate_admission.seconds_until_look].compact.min&.clamp(0..)
          end

          # Moves a job to the back of its queue, or to its next turn.
          def move(db, turns, number, row)
            id, queue, payload, priority, key, weight = row
            db.run(PROMOTE, id, number, Store::Rewrite.queued(payload),
              turns.next_of_key(queue, priority, key, weight))
          end

          private

          # Seconds until a job is due or a rate opens, nil when there is neither.
          def next_due(db, rates)
            opening = @rate_admission.next_opening(db)
            [next_at(db), (opening if rates)].compact.min&.clamp(0..)
          end

          def next_at(db) = db.rows(NEXT).dig(0, 0)

          def due(db, limit) = db.rows(DUE, limit)

          def promote_due(db, limit)
            rows = due(db, limit)
            turns = FairTurns.new(db)
            rows.zip(db.numbers(rows.size)) { |row, number| move(db, turns, number, row) }
            db.wake(rows.map { |row| row[1] }.uniq)
            rows.size
          end
        end
      end
    end
  end
end
