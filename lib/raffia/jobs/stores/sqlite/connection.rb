# frozen_string_literal: true

require_relative "dialect"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # Translates statements and keeps them prepared. For one fiber at a time.
        # @api private
        class Connection
          NUMBERS = "INSERT INTO {counters existing} (name, value) VALUES ('number', $1) " \
            "{upsert name} value = {existing value} + {excluded value} {returning} value"
          MOST_STATEMENTS = 200

          # Whether waits are to be notified.
          attr_accessor :wakes

          def initialize(database)
            @database = database
            @dialect = Dialect.new
            @statements = {}
            @wakes = false
            define("raffia_uptime") { Uptime.now }
            define("raffia_now") { ::Process.clock_gettime(::Process::CLOCK_REALTIME) }
          end

          def rows(sql, *params)
            statement = bind(sql, params)
            rows = []
            while (row = statement.step)
              rows << row
            end
            rows
          ensure
            statement&.reset!
          end

          def run(sql, *params)
            statement = bind(sql, params)
            statement.step
            @database.changes
          ensure
            statement&.reset!
          end

          def numbers(count)
            return [] if count.zero?

            last = rows(NUMBERS, count).dig(0, 0)
            (last - count + 1..last).to_a
          end

          # There is one writer at a time.
          def lock(_name) = nil

          def lock_in_order(_names) = nil

          # No connection of an application can have jobs.
          def own? = true

          def wake(queues)
            @wakes ||= queues.any?
          end

          def total_changes = @database.total_changes

          def transaction? = @database.transaction_active?

          def close
            @statements.each_value(&:close)
            @statements.clear
            @database.close
          end

          # Closes the parent's files in a child, without writing.
          def discard = @database.close

          private

          # Clocks are Ruby's, so that a program that replaces them, as simulations do, sees one
          # time everywhere.
          def define(name)
            @database.create_function(name, 0) { |function| function.result = yield }
          end

          def bind(sql, params)
            statement = @statements[sql] || prepare(sql)
            index = 0
            params.each do |value|
              statement.bind_param(index += 1, value.is_a?(Array) ? JSON.generate(value) : value)
            end
            statement
          end

          def prepare(sql)
            @statements.shift.last.close if @statements.size >= MOST_STATEMENTS
            @statements[sql] = @database.prepare(@dialect.translate(sql))
          end
        end
      end
    end
  end
end
