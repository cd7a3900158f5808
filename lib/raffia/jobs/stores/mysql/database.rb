# frozen_string_literal: true

require_relative "../sql/server_database"
require_relative "dialect"
require_relative "driver"
require_relative "tables"

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # Connections, transactions, and the tables.
        # @api private
        class Database < SQL::ServerDatabase
          SERVER = "MySQL"

          # Conflicts with other transactions so far, after which an operation was tried again.
          attr_reader :conflicts

          # The block is called after commits with jobs.
          def initialize(address, &notify)
            @notify = notify
            @conflicts = 0
            dialect = Dialect.new(address.prefix)
            super(address, dialect, Tables.new(dialect))
          end

          # InnoDB counts by reading the index.
          def countable = 50_000

          private

          def count_conflict(_error) = @conflicts += 1

          def connect = Driver.connect(@address, @dialect, &@notify)

          def wrap(connection) = Driver.wrap(connection, @address, @dialect)

          def begin_on(connection, driver, &)
            return super if connection.respond_to?(:transaction)

            driver.transaction(&)
          end
        end
      end
    end
  end
end
