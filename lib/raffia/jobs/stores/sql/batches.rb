# frozen_string_literal: true

require_relative "batches/told"

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # See the batches of {Store}.
        # @api private
        module Batches
          include Told

          OPEN = "INSERT INTO {batches} (id, number, about, parent, callbacks) VALUES ($1, $2, " \
            "$3, $4, $5)"
          COLUMNS = "id, total, pending, dead, sealed, completed_at, about, parent"

          def open_batch(id, callbacks: {}, about: {}, parent: nil)
            writing do |db|
              add_to_batch(db, parent, 1) if parent
              db.run(OPEN, id, db.numbers(1).first, JSON.generate(about), parent,
                JSON.generate(callbacks.transform_values { |draft| pack(draft) }))
            end
            nil
          end

          def seal_batch(id)
            writing do |db|
              if db.run("UPDATE {batches} SET sealed = 1 WHERE id = $1", id) == 1
                settle_batch(db, id)
              end
            end
            nil
          end

          def batch(id)
            reading { |db| db.rows("SELECT #{COLUMNS} FROM {batches} WHERE id = $1", id) }
              .map { |row| told(row) }.first
          end

          def batches(offset: 0, limit: 50)
            reading { |db|
              db.rows("SELECT #{COLUMNS} FROM {batches} ORDER BY number DESC LIMIT $1 OFFSET $2",
                limit, offset)
            }.map { |row| told(row) }
          end

          private

          def told(row)
            id, total, pending, dead, sealed, completed_at, about, parent = row
            {"id" => id, "total" => total, "pending" => pending, "dead" => dead,
             "sealed" => sealed == 1, "completed_at" => completed_at,
             "about" => JSON.parse(about), "parent" => parent}
          end

          def pack(draft)
            {"jid" => draft.jid, "queue" => draft.queue, "payload" => draft.payload,
             "at" => draft.at}
          end

          def unpack(packed)
            payload = packed["payload"]
            Draft.new(jid: packed["jid"], queue: packed["queue"], payload: payload,
              at: packed["at"], extras: Payload.load(payload)[Payload::OWN])
          end
        end
      end
    end
  end
end
