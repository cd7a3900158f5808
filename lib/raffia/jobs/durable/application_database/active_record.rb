# frozen_string_literal: true

require_relative "statements"

module Raffia
  module Jobs
    module Durable
      module ApplicationDatabase
        # A connection of Active Record, with any of its adapters for these databases.
        # @api private
        class ActiveRecord
          include Statements

          attr_reader :connection

          def initialize(connection)
            @connection = connection
          end

          # A transaction around a whole test does not count.
          def open?
            @connection.transaction_open? && @connection.current_transaction.joinable?
          end

          def transaction(&) = @connection.transaction(requires_new: true, &)

          def run(sql) = @connection.update(sql)

          def value(sql)
            @connection.uncached { @connection.select_value(mysql? ? "#{sql} FOR UPDATE" : sql) }
          end

          def quote(text) = @connection.quote(text)

          def insert(rest) = mysql? ? "INSERT IGNORE #{rest}" : super

          def table?(name) = @connection.table_exists?(name)

          def schema(name) = mysql? ? mysql_schema(name) : super

          private

          def mysql? = @connection.adapter_name.match?(/mysql|trilogy/i)
        end
      end
    end
  end
end
