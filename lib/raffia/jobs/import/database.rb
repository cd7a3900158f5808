# frozen_string_literal: true

require_relative "../error"
require_relative "../store/address"

module Raffia
  module Jobs
    class Import
      # A connection to another gem's database. Statements have ? for their parameters; values come
      # as text, numbers or nil.
      # @api private
      class Database
        # Scheme of an address => class.
        SCHEMES = {"postgres" => :Postgres, "postgresql" => :Postgres, "mysql" => :MySQL,
                   "mysql2" => :MySQL, "mariadb" => :MySQL, "trilogy" => :MySQL,
                   "sqlite" => :SQLite, "sqlite3" => :SQLite}.freeze
        # Ids in one statement.
        IDS = 100

        def self.open(url)
          name = SCHEMES[url[/\A([a-z0-9]+):/, 1]] or
            raise ConfigError, "#{Store::Address.shown(url).inspect} is no address of a " \
              "database: use one such as postgres://localhost/app, mysql://root@localhost/app " \
              "or sqlite:storage/production.sqlite3"
          require_relative "database/#{name.downcase}"
          const_get(name).new(url)
        end

        # Without a password.
        attr_reader :url

        def initialize(url)
          @url = Store::Address.shown(url)
          translated { connect(url) }
        end

        # Type of a column for large values.
        def text = "TEXT"

        # Ends a statement that takes rows for itself; rows of others are left out.
        def lock = " FOR UPDATE SKIP LOCKED"

        # Returns arrays of values.
        def rows(sql, *values) = translated { execute(sql, values) }

        def value(sql, *values) = rows(sql, *values).dig(0, 0)

        # All of the block's statements, or none.
        def transaction
          rows(begin_statement)
          result = yield
          rows("COMMIT")
          result
        rescue Exception # standard:disable Lint/RescueException
          roll_back
          raise
        end

        # Deletes the rows of these ids, in order and in small statements.
        def delete(table, column, ids)
          ids.sort.each_slice(IDS) do |slice|
            rows("DELETE FROM #{table} WHERE #{column} IN (#{(["?"] * slice.size).join(",")})",
              *slice)
          end
        end

        # Raises {ConfigError} unless there is such a table.
        def check_table(table)
          return if table?(table)

          raise ConfigError, "#{@url} has no table #{table}: is this the database of the jobs?"
        end

        private

        def begin_statement = "BEGIN"

        def roll_back
          execute("ROLLBACK", [])
        rescue
          nil # the connection is lost, and with it the transaction
        end

        def refused(error)
          StoreUnavailable.new("#{@url}: #{error.message.scrub.split.join(" ")}")
        end
      end
    end
  end
end
