# frozen_string_literal: true

require_relative "statements"

module Raffia
  module Jobs
    module Durable
      module ApplicationDatabase
        # A PG::Connection.
        # @api private
        class Postgres
          include Statements

          attr_reader :connection

          def initialize(connection)
            @connection = connection
          end

          def open? = @connection.transaction_status != PG::PQTRANS_IDLE

          def transaction(&) = all_or_nothing("BEGIN", &)

          def run(sql) = @connection.exec(sql).cmd_tuples

          def value(sql) = @connection.exec(sql).values.dig(0, 0)

          def quote(text) = @connection.escape_literal(text)

          def table?(name) = !value("SELECT to_regclass(#{quote(name)})").nil?
        end
      end
    end
  end
end
