# frozen_string_literal: true

module Raffia
  module Jobs
    module Durable
      module ApplicationDatabase
        # Statements of SQLite and PostgreSQL, and those of MySQL that differ.
        # @api private
        module Statements
          def insert(rest) = "INSERT #{rest} ON CONFLICT (id) DO NOTHING"

          def schema(name)
            ["CREATE TABLE IF NOT EXISTS #{name} (id varchar(32) NOT NULL PRIMARY KEY, " \
              "record text, written_at bigint NOT NULL)",
              "CREATE INDEX IF NOT EXISTS #{name}_written_at ON #{name} (written_at)"]
          end

          private

          def mysql_schema(name)
            ["CREATE TABLE IF NOT EXISTS #{name} (id varchar(32) CHARACTER SET ascii NOT NULL " \
              "PRIMARY KEY, record longtext CHARACTER SET utf8mb4, written_at bigint NOT NULL, " \
              "INDEX (written_at)) ENGINE = InnoDB"]
          end

          # Rolls back also when a fiber is cancelled.
          def all_or_nothing(start)
            run(start)
            value = yield
            run("COMMIT")
            done = true
            value
          ensure
            undo unless done
          end

          # A connection that has failed is no longer in the transaction.
          def undo
            run("ROLLBACK") if open?
          rescue
            nil
          end
        end
      end
    end
  end
end
