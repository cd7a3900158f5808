# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # Remembers names that are in the table.
        class QueueRegistry < SQL::QueueRegistry
          ADD_ALL = "INSERT INTO {queues} (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING"

          def initialize(database)
            super
            @known = [].freeze
            database.on_missing_tables { @known = [].freeze }
          end

          # In a transaction of their own: others that use a name would wait for the end of this
          # one.
          def publish(names)
            names -= @known
            return if names.empty?

            @database.ensure_tables
            @database.session { |db| db.run(ADD_ALL, names) }
            @known = (@known | names).freeze
          end

          def add(db, names) = super(db, names - @known)

          def forget(db, name)
            super
            @known = [].freeze
          end
        end
      end
    end
  end
end
