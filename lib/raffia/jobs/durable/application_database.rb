# frozen_string_literal: true

require_relative "../error"

module Raffia
  module Jobs
    module Durable
      # Databases of applications, by the connections that {Durable#transaction} takes. Each has
      # `connection`, `open?` (whether a transaction is open), `transaction { }` (which rolls back
      # after any exception), `run(sql)` (number of rows changed), `value(sql)`, `quote(text)`,
      # `insert(rest)` (a statement that does nothing when the key is there), `table?(name)` and
      # `schema(name)` (statements that make the table).
      # @api private
      module ApplicationDatabase
        # Names of connections' classes.
        KINDS = {"PG::Connection" => :Postgres, "Trilogy" => :MySQL,
                 "SQLite3::Database" => :SQLite}.freeze

        module_function

        # Yields the database of a connection, or of a class of Active Record. Raises ConfigError.
        def open(target)
          target ||= active_record
          return yield(wrap(target)) unless target.is_a?(Class)
          return target.with_connection { |one| yield wrap(one) } if
            target.respond_to?(:with_connection)

          yield wrap(target.respond_to?(:connection) ? target.connection : target)
        end

        def active_record
          return ::ActiveRecord::Base if defined?(::ActiveRecord::Base)

          raise ConfigError, "transaction needs a connection of the application's database: " \
            "transaction(:name, on: connection) { }"
        end

        def wrap(connection)
          kind = connection.class.ancestors.filter_map { |one| KINDS[one.name] }.first
          kind ||= :ActiveRecord if connection.respond_to?(:current_transaction)
          return const_get(kind).new(connection) if kind

          raise ConfigError, "transaction cannot write on a #{connection.class}: pass a " \
            "connection or a class of Active Record, a PG::Connection, Trilogy or SQLite3::Database"
        end
      end
    end
  end
end

require_relative "application_database/active_record"
require_relative "application_database/mysql"
require_relative "application_database/postgres"
require_relative "application_database/sqlite"
