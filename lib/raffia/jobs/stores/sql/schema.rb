# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # The tables. A job is one row in `jobs` in any set, so each move changes one row.
        #
        # * id: never used twice, because what is acked twice must not hit another job
        # * place: the order in a queue, after the priority. At the back: a fresh number. In front:
        #   the negative of one
        # * special: 1 when its end means more than that the row goes (limit, unique, batch), or
        #   when it may expire
        # * token: of the lease that it runs under
        # * at: when it is due (scheduled, retry), or came to where it is
        #
        # There is no index on `jid`: its entries would be spread over all pages, and cost each
        # enqueue one. A search for one job reads all.
        #
        # @api private
        module Schema
          # Version of the tables; a higher one is from a later version of Raffia.
          VERSION = 1

          TABLES = {
            "counters" => "name text PRIMARY KEY, value bigint NOT NULL",
            "jobs" => <<~COLUMNS,
              id {id}, jid text NOT NULL, queue text NOT NULL, state text NOT NULL DEFAULT 'queue',
              priority bigint NOT NULL DEFAULT 0, place bigint NOT NULL,
              at double precision NOT NULL, token bigint, special smallint NOT NULL DEFAULT 0,
              expires_at double precision, limit_key text, limit_max bigint, unique_key text,
              unique_start smallint NOT NULL DEFAULT 0, batch text, payload {bytes} NOT NULL
            COLUMNS
            "queues" => "name text PRIMARY KEY, paused smallint NOT NULL DEFAULT 0",
            "uniques" => "key text PRIMARY KEY, job bigint NOT NULL, ends_at double precision",
            "leases" => <<~COLUMNS,
              token {id}, identity text NOT NULL, info text NOT NULL, state text NOT NULL,
              ttl double precision NOT NULL, ends_at double precision NOT NULL,
              beat double precision NOT NULL
            COLUMNS
            "orders" => "id {id}, token bigint NOT NULL, word text NOT NULL",
            "facts" => "key text PRIMARY KEY, value {bytes} NOT NULL, ends_at double precision",
            "batches" => <<~COLUMNS,
              id text PRIMARY KEY, number bigint NOT NULL, total bigint NOT NULL DEFAULT 0,
              pending bigint NOT NULL DEFAULT 0, dead bigint NOT NULL DEFAULT 0,
              sealed smallint NOT NULL DEFAULT 0, completed_at double precision,
              about text NOT NULL, parent text, dead_in_parent smallint NOT NULL DEFAULT 0,
              callbacks text NOT NULL
            COLUMNS
            "days" => "day text PRIMARY KEY, processed bigint NOT NULL, failed bigint NOT NULL",
            "minutes" => <<~COLUMNS
              class text NOT NULL, minute bigint NOT NULL, processed bigint NOT NULL,
              failed bigint NOT NULL, ms double precision NOT NULL, histogram text NOT NULL,
              PRIMARY KEY (class, minute)
            COLUMNS
          }.freeze

          # All but the first have few rows, if any, on most machines.
          INDEXES = {
            "waiting" => "{jobs} (queue, priority DESC, place) WHERE state = 'queue'",
            "running" => "{jobs} (token) WHERE token IS NOT NULL",
            "due" => "{jobs} (at, state) WHERE state IN ('scheduled', 'retry')",
            "dead" => "{jobs} (at) WHERE state = 'dead'",
            "limited" => "{jobs} (limit_key, state, place) WHERE limit_key IS NOT NULL",
            "number" => "{batches} (number)"
          }.freeze

          module_function

          # @param db [Object] a connection, in a transaction
          # @yieldparam name [String] of an index
          # @yieldreturn [String] its name in this database
          def create(db)
            TABLES.each do |name, columns|
              db.run("CREATE TABLE IF NOT EXISTS {#{name}} (#{columns})")
            end
            INDEXES.each do |name, columns|
              db.run("CREATE INDEX IF NOT EXISTS #{yield name} ON #{columns}")
            end
            db.run("INSERT INTO {counters} (name, value) VALUES ('version', $1) {ignore name}",
              VERSION)
          end

          # @param db [Object]
          # @return [Integer, nil] nil where there are no tables of ours
          def version(db) = db.rows("SELECT value FROM {counters} WHERE name = 'version'").dig(0, 0)
        end
      end
    end
  end
end
