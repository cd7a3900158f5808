# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # (see SQL::QueueNames)
        #
        # Remembers names that are in the table already.
        class QueueNames < SQL::QueueNames
          ADD_ALL = "INSERT INTO {queues} (name) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING"

          def initialize(database)
            super
            @known = [].freeze
            database.on_missing_tables { @known = [].freeze }
          end

          # Adds names in a transaction of their own, and never on the application's connection:
          # others that use a name would wait for its end.
          def publish(names)
            names -= @known
            return if names.empty?

            @database.ready
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
