# frozen_string_literal: true

require_relative "../sql/server_database"
require_relative "dialect"
require_relative "driver"
require_relative "tables"

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # Connections, transactions, and the tables.
        # @api private
        class Database < SQL::ServerDatabase
          SERVER = "PostgreSQL"

          def initialize(address)
            dialect = Dialect.new(address.schema)
            super(address, dialect, Tables.new(dialect))
          end

          # For LISTEN; nil where that does not work.
          def listener
            return if @address.listen == :off

            driver = connect.tap { |made| @drivers[made] = true }
            return driver if @address.listen == :on || driver.direct?

            driver.close
            nil
          end

          # PostgreSQL reads each row of a table that has changed lately.
          def countable = 20_000

          private

          def connect = Driver.connect(@address, @dialect)

          def wrap(connection) = Driver.wrap(connection, @address, @dialect)
        end
      end
    end
  end
end
