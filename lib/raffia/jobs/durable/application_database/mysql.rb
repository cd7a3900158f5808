# frozen_string_literal: true

require_relative "statements"

module Raffia
  module Jobs
    module Durable
      module ApplicationDatabase
        # A Trilogy.
        # @api private
        class MySQL
          include Statements

          attr_reader :connection

          def initialize(connection)
            @connection = connection
          end

          def open? = @connection.in_transaction?

          def transaction(&) = all_or_nothing("START TRANSACTION", &)

          def run(sql) = @connection.query(sql).affected_rows

          # Reads the latest commit, not the transaction's snapshot.
          def value(sql) = @connection.query("#{sql} FOR UPDATE").rows.dig(0, 0)

          def quote(text) = "'#{@connection.escape(text)}'"

          def insert(rest) = "INSERT IGNORE #{rest}"

          def table?(name) = @connection.query("SHOW TABLES LIKE #{quote(name)}").rows.any?

          def schema(name) = mysql_schema(name)
        end
      end
    end
  end
end
