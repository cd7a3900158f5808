# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # The tables. A job is one row of `jobs` in any set.
        #
        # * id: never used twice, so that a second ack cannot hit another job
        # * place: the order in a queue, after the priority: a new number at the back, its negative
        #   in front
        # * special: 1 when the job may expire, or its end means more (limit, unique, batch); 2
        #   when it has a flow, also
        # * pass: its turn, before the place, in a fair queue ({Store::FairOrder}); 0 elsewhere
        # * rated: 1 while its rate blocks it, 2 while its tenant is paused
        # * token: of its lease
        # * at: when it is due, or came to its state
        #
        # There is no index on `jid`, because each enqueue would write one page more.
        # @api private
        module Schema
          VERSION = 2

          TABLES = {
            "counters" => "name text PRIMARY KEY, value bigint NOT NULL",
            "jobs" => <<~COLUMNS,
              id {id}, jid text NOT NULL, queue text NOT NULL, state text NOT NULL DEFAULT 'queue',
              priority bigint NOT NULL DEFAULT 0, place bigint NOT NULL,
              at double precision NOT NULL, token bigint, special smallint NOT NULL DEFAULT 0,
              expires_at double precision, limit_key text, limit_max bigint, unique_key text,
              unique_start smallint NOT NULL DEFAULT 0, batch text, payload {bytes} NOT NULL,
              pass bigint NOT NULL DEFAULT 0, fair_key text, fair_weight double precision,
              rate text, rate_key text, rate_cost bigint, rated smallint NOT NULL DEFAULT 0,
              workflow text, node text
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
            "workflows" => <<~COLUMNS,
              id text PRIMARY KEY, number bigint NOT NULL, state text NOT NULL,
              pending bigint NOT NULL, dead bigint NOT NULL, ended bigint NOT NULL, reason text,
              created_at double precision NOT NULL, completed_at double precision,
              about text NOT NULL, parent text, parent_node text
            COLUMNS
            "workflow_nodes" => <<~COLUMNS,
              workflow text NOT NULL, name text NOT NULL, kind text NOT NULL, state text NOT NULL,
              missing bigint NOT NULL, bad bigint NOT NULL, spec {bytes} NOT NULL, jid text,
              result {bytes}, error text, ended bigint, parent text, position bigint NOT NULL,
              PRIMARY KEY (workflow, name)
            COLUMNS
            "workflow_edges" => <<~COLUMNS,
              workflow text NOT NULL, from_node text NOT NULL, to_node text NOT NULL,
              PRIMARY KEY (workflow, from_node, to_node)
            COLUMNS
            "paused_tenants" => "queue_name text NOT NULL, tenant text NOT NULL, " \
              "PRIMARY KEY (queue_name, tenant)",
            "rate_limits" => "name text PRIMARY KEY, rule text NOT NULL",
            "rate_keys" => <<~COLUMNS,
              key text PRIMARY KEY, name text NOT NULL, rule text NOT NULL, used bigint NOT NULL,
              full_at double precision NOT NULL, closed_until double precision NOT NULL,
              opens_at double precision, idle_at double precision NOT NULL
            COLUMNS
            "rate_starts" => <<~COLUMNS,
              key text NOT NULL, at double precision NOT NULL, number double precision NOT NULL,
              PRIMARY KEY (key, at)
            COLUMNS
            "flows" => <<~COLUMNS,
              id text PRIMARY KEY, job bigint NOT NULL, class text NOT NULL, parent text,
              abandon smallint NOT NULL DEFAULT 0, encrypted smallint NOT NULL DEFAULT 0,
              run bigint NOT NULL DEFAULT 1,
              status text NOT NULL DEFAULT 'pending', cancelled smallint NOT NULL DEFAULT 0,
              steps bigint NOT NULL DEFAULT 0, state {bytes}, result {bytes}, error text,
              started_at double precision NOT NULL, ended_at double precision
            COLUMNS
            "flow_steps" => <<~COLUMNS,
              flow text NOT NULL, place text NOT NULL, number bigint NOT NULL, kind text NOT NULL,
              name text NOT NULL, value {bytes}, at double precision, awaits text,
              PRIMARY KEY (flow, place)
            COLUMNS
            "flow_signals" => <<~COLUMNS,
              flow text NOT NULL, name text NOT NULL, dedup text NOT NULL, number bigint NOT NULL,
              payload {bytes} NOT NULL, taken smallint NOT NULL DEFAULT 0,
              PRIMARY KEY (flow, name, dedup)
            COLUMNS
            "days" => "day text PRIMARY KEY, processed bigint NOT NULL, failed bigint NOT NULL",
            "minutes" => <<~COLUMNS
              class text NOT NULL, minute bigint NOT NULL, processed bigint NOT NULL,
              failed bigint NOT NULL, ms double precision NOT NULL, histogram text NOT NULL,
              PRIMARY KEY (class, minute)
            COLUMNS
          }.freeze

          INDEXES = {
            "turns" => "{jobs} (queue, priority DESC, pass, place) WHERE state = 'queue'",
            "running" => "{jobs} (token) WHERE token IS NOT NULL",
            "due" => "{jobs} (at, state) WHERE state IN ('scheduled', 'retry')",
            "dead" => "{jobs} (at) WHERE state = 'dead'",
            "limited" => "{jobs} (limit_key, state, place) WHERE limit_key IS NOT NULL",
            "blocked" => "{jobs} (place) WHERE state = 'blocked'",
            "fair" => "{jobs} (queue, fair_key, priority, pass) WHERE state = 'queue' " \
              "AND fair_key IS NOT NULL",
            "rated" => "{jobs} (rate_key, state, rated, priority DESC, place) " \
              "WHERE rate_key IS NOT NULL",
            "paused" => "{jobs} (queue, fair_key, priority DESC, place) WHERE rated = 2",
            "opening" => "{rate_keys} (opens_at) WHERE opens_at IS NOT NULL",
            "number" => "{batches} (number)",
            "flow_jobs" => "{flows} (job)",
            "flow_children" => "{flows} (parent) WHERE parent IS NOT NULL",
            "flow_ends" => "{flows} (ended_at) WHERE ended_at IS NOT NULL",
            "workflow" => "{jobs} (workflow) WHERE workflow IS NOT NULL",
            "workflow_number" => "{workflows} (number)",
            "workflow_parent" => "{workflow_nodes} (workflow, parent, position)"
          }.freeze

          # Columns that later versions added to a table, and indexes that they removed.
          ADDED = {
            2 => {"jobs" => ["pass bigint NOT NULL DEFAULT 0", "fair_key text",
              "fair_weight double precision", "rate text", "rate_key text", "rate_cost bigint",
              "rated smallint NOT NULL DEFAULT 0", "workflow text", "node text"]}
          }.freeze
          REMOVED = {2 => ["waiting"]}.freeze

          module_function

          # Makes the tables, or those of an older version into present ones. `before`: their
          # version, nil for none. The block turns an index's name into its name in this database.
          def create(db, before, &)
            upgrade(db, before) if before && before < VERSION
            make(db, &)
            db.run("UPDATE {counters} SET value = $1 WHERE name = 'version' AND value < $1", VERSION)
          end

          def upgrade(db, before)
            (before + 1..VERSION).each do |version|
              ADDED.fetch(version, {}).each do |table, columns|
                columns.each { |column| db.run("ALTER TABLE {#{table}} ADD COLUMN #{column}") }
              end
              REMOVED.fetch(version, []).each { |name| db.run("DROP INDEX {index #{name}}") }
            end
          end

          def make(db)
            TABLES.each do |name, columns|
              db.run("CREATE TABLE IF NOT EXISTS {#{name}} (#{columns})")
            end
            INDEXES.each do |name, columns|
              db.run("CREATE INDEX IF NOT EXISTS #{yield name} ON #{columns}")
            end
            db.run("INSERT INTO {counters} (name, value) VALUES ('version', $1) {ignore name}",
              VERSION)
          end

          # Nil when there are no tables of ours.
          def version(db) = db.rows("SELECT value FROM {counters} WHERE name = 'version'").dig(0, 0)
        end
      end
    end
  end
end
