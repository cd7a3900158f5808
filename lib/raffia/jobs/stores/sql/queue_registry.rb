# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Names of queues, which stay when they are empty, and which of them are paused.
        # @api private
        class QueueRegistry
          ADD = "INSERT INTO {queues} (name) VALUES ($1) {ignore name}"
          PAUSED = "SELECT name FROM {queues} WHERE paused = 1"

          def initialize(database)
            @database = database
          end

          def add(db, names) = names.each { |name| db.run(ADD, name) }

          # Nil forgets all but paused ones.
          def forget(db, name)
            db.run("DELETE FROM {queues} WHERE paused = 0#{" AND name = $1" if name}", *name)
          end

          def paused(db) = db.rows(PAUSED).flatten
        end
      end
    end
  end
end
