# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # Makes the tables on first use, with those of {SQL::Schema} in MySQL's types. There are no
        # transactions for that, so each step may be repeated, and the version comes last.
        # @api private
        class Tables
          # Columns of texts without an index: they may be long.
          LONG = {"jobs" => %w[rate], "rate_limits" => %w[rule], "rate_keys" => %w[rule],
                  "leases" => %w[info state], "batches" => %w[about callbacks],
                  "minutes" => %w[histogram], "flows" => %w[error],
                  "workflows" => %w[about reason], "workflow_nodes" => %w[error]}.freeze
          # Characters of all other texts, of up to four bytes. Two of them fit an index.
          SHORT = "varchar(375)"
          # Tables with three of them in the primary key have shorter ones.
          SHORTER = "varchar(255)"
          CROWDED = %w[workflow_edges flow_signals].freeze
          # Indexes have all rows: there are no partial ones. A claim writes those with the state or
          # the token anew.
          INDEXES = {
            "jobs" => {
              "turns" => "(state, queue, priority DESC, pass, place)", "running" => "(token)",
              "due" => "(state, at, id)", "limited" => "(limit_key, state, place)",
              "fair" => "(fair_key, queue, priority, pass)",
              "rated" => "(rate_key, state, rated, priority DESC, place)",
              "workflow" => "(workflow)"
            },
            "flows" => {"flow_jobs" => "(job)", "flow_children" => "(parent)",
                        "flow_ends" => "(ended_at)"},
            "workflows" => {"workflow_number" => "(number)"},
            "workflow_nodes" => {"workflow_parent" => "(workflow, parent, position)"},
            "rate_keys" => {"opening" => "(opens_at)"}, "batches" => {"number" => "(number)"},
            "orders" => {"to" => "(token)"}
          }.freeze
          # Rows that are locked for names (see {Dialect#slots}), and the source of numbers.
          OWN = {"locks" => "id bigint PRIMARY KEY",
                 "numbers" => "id bigint PRIMARY KEY AUTO_INCREMENT"}.freeze
          COUNTERS = %w[token processed failed].freeze
          FOUND = "SELECT 1 FROM information_schema.tables WHERE table_schema = DATABASE() " \
            "AND table_name = $1"

          COLUMN = "SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE() " \
            "AND table_name = $1 AND column_name = $2"
          INDEX = "SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() " \
            "AND table_name = $1 AND index_name = $2"

          # The primary key of each table that has one of one column.
          def self.keys
            {**SQL::Schema::TABLES, **OWN}.filter_map do |name, columns|
              key = columns[/(\w+) (?:\{id\}|\w+ PRIMARY KEY)/, 1]
              [name, (key == "key") ? "`key`" : key] if key
            end.to_h
          end

          def initialize(dialect)
            @dialect = dialect
          end

          # A user needs no rights to make tables that exist.
          def ensure_version(db)
            version = version(db)
            version = make(db, version) if version.nil? || version < SQL::Schema::VERSION
            return true if version == SQL::Schema::VERSION

            raise ConfigError,
              "the tables #{@dialect.prefix}* have version #{version}, this Raffia knows " \
              "version #{SQL::Schema::VERSION}: use the newer of the two gems everywhere"
          end

          private

          def version(db)
            SQL::Schema.version(db) if db.rows(FOUND, "#{@dialect.prefix}counters").any?
          end

          def make(db, before)
            {**SQL::Schema::TABLES, **OWN}.each do |name, columns|
              db.run("CREATE TABLE IF NOT EXISTS {#{name}} (#{columns(name, columns)}) " \
                "#{options(db)}")
            end
            upgrade(db, before) if before
            fill(db)
            version(db)
          end

          # Tables of before may lack columns and indexes. Another process may add them, too.
          def upgrade(db, before)
            SQL::Schema::ADDED.each do |version, tables|
              next unless version > before

              tables.each { |table, columns| columns.each { |one| add_column(db, table, one) } }
            end
            INDEXES.each do |table, indexes|
              indexes.each { |name, columns| add_index(db, table, name, columns) }
            end
            db.run("UPDATE {counters} SET value = $1 WHERE name = 'version' AND value < $1",
              SQL::Schema::VERSION)
          end

          def add_column(db, table, column)
            return if db.rows(COLUMN, "#{@dialect.prefix}#{table}", column[/\w+/]).any?

            db.run("ALTER TABLE {#{table}} ADD COLUMN #{types(table, column)}")
          end

          def add_index(db, table, name, columns)
            return if db.rows(INDEX, "#{@dialect.prefix}#{table}", name).any?

            db.run("ALTER TABLE {#{table}} ADD INDEX `#{name}` #{columns}")
          end

          def columns(name, columns)
            [types(name, columns), *INDEXES[name]&.map { |index, list| "INDEX `#{index}` #{list}" }]
              .join(", ")
          end

          def types(table, columns)
            columns.gsub(/(\w+) text\b/) { "#{$1} #{type(table, $1)}" }
          end

          def type(table, column)
            return "longtext" if LONG[table]&.include?(column)
            return "varchar(32)" if column == "state"

            CROWDED.include?(table) ? SHORTER : SHORT
          end

          # Bytes decide, also spaces at the end.
          def options(db)
            mariadb = db.rows("SELECT version()")[0][0].include?("MariaDB")
            "ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4 COLLATE " \
              "#{mariadb ? "utf8mb4_nopad_bin" : "utf8mb4_0900_bin"}"
          end

          def fill(db)
            count = Dialect::KINDS.size * Dialect::SLOTS
            locks = Array.new(count) { |number| "(#{number})" }.join(", ")
            db.run("INSERT INTO {locks} (id) VALUES #{locks} {ignore id}")
            counters = "INSERT INTO {counters} (name, value) VALUES ($1, $2) {ignore name}"
            COUNTERS.each { |name| db.run(counters, name, 0) }
            db.run(counters, "version", SQL::Schema::VERSION)
          end
        end
      end
    end
  end
end
