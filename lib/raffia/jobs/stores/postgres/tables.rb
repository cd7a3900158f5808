# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # Makes the tables on first use.
        # @api private
        class Tables
          # Most rows live for a second, so vacuum runs early. Rows that are updated in place have
          # space for it on their page.
          SETTINGS = {
            "jobs" => "autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, " \
            "autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 0, " \
            "autovacuum_vacuum_insert_scale_factor = 0.2",
            "leases" => "fillfactor = 20, autovacuum_vacuum_scale_factor = 0, " \
              "autovacuum_vacuum_threshold = 200",
            "batches" => "fillfactor = 50, autovacuum_vacuum_scale_factor = 0, " \
              "autovacuum_vacuum_threshold = 500",
            "flows" => "fillfactor = 50, autovacuum_vacuum_scale_factor = 0, " \
              "autovacuum_vacuum_threshold = 500",
            "days" => "fillfactor = 50", "minutes" => "fillfactor = 50"
          }.freeze

          def initialize(dialect)
            @schema = dialect.schema
          end

          # A role needs no rights to make tables that exist.
          def ensure_version(db)
            version = version(db)
            version = make(db) if version.nil? || version < SQL::Schema::VERSION
            return true if version == SQL::Schema::VERSION

            raise ConfigError,
              "the tables in the schema #{@schema} have version #{version}, this Raffia knows " \
              "version #{SQL::Schema::VERSION}: use the newer of the two gems everywhere"
          end

          private

          # From the catalogue, because a session's own knowledge may be outdated.
          def version(db)
            found = db.rows("SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = $1 " \
              "AND tablename = 'counters'", @schema)
            SQL::Schema.version(db) unless found.empty?
          end

          def make(db)
            db.transaction do
              db.lock("tables")
              before = version(db)
              next if before && before >= SQL::Schema::VERSION

              db.run("CREATE SCHEMA IF NOT EXISTS #{@schema}")
              db.run("CREATE SEQUENCE IF NOT EXISTS {numbers}")
              SQL::Schema.create(db, before) { |name| name }
              SETTINGS.each { |table, settings| db.run("ALTER TABLE {#{table}} SET (#{settings})") }
            end
            version(db)
          end
        end
      end
    end
  end
end
