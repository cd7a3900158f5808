# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        class Batches < Store::Batches
          OPEN = "INSERT INTO {batches} (id, number, about, parent, callbacks) " \
            "VALUES ($1, $2, $3, $4, $5)"
          FIELDS = %w[id total pending dead sealed completed_at about parent].freeze
          SELECT = "SELECT #{FIELDS.join(", ")} FROM {batches}".freeze
          ONE = "#{SELECT} WHERE id = $1".freeze
          NEWEST = "#{SELECT} ORDER BY number DESC LIMIT $1 OFFSET $2".freeze

          needs :database, :counter

          def open_batch(id, callbacks: {}, about: {}, parent: nil)
            @database.write do |db|
              @counter.add(db, parent, 1) if parent
              db.run(OPEN, id, db.numbers(1).first, JSON.generate(about), parent,
                BatchCounter.dump(callbacks))
            end
            nil
          end

          def seal_batch(id)
            @database.write { |db| @counter.seal(db, id) }
            nil
          end

          def batch(id) = select(ONE, id).first

          def batches(offset: 0, limit: 50) = select(NEWEST, limit, offset)

          private

          def select(sql, *params)
            @database.read { |db| db.rows(sql, *params) }.map do |row|
              batch = FIELDS.zip(row).to_h
              batch.merge("sealed" => batch["sealed"] == 1, "about" => JSON.parse(batch["about"]))
            end
          end
        end
      end
    end
  end
end
