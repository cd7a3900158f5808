# frozen_string_literal: true

require "json"
require_relative "dialect"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # What statements are given to: translates them once, and keeps them prepared. For one fiber
        # at a time.
        # @api private
        class Connection
          NUMBERS = "INSERT INTO {counters} AS c (name, value) VALUES ('number', $1) " \
            "ON CONFLICT (name) DO UPDATE SET value = c.value + excluded.value RETURNING value"
          # Statements that are kept. There are fewer, unless somebody makes up some with values in
          # them.
          KEPT = 200

          # @return [Boolean] whether somebody is to be told that there are jobs
          attr_accessor :wakes

          # @param database [::SQLite3::Database]
          def initialize(database)
            @database = database
            @statements = {}
            @wakes = false
            database.create_function("raffia_uptime", 0) { |function| function.result = Uptime.now }
          end

          # @return [Array<Array>]
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

          # @return [Integer] how many rows it changed
          def run(sql, *params)
            statement = bind(sql, params)
            statement.step
            @database.changes
          ensure
            statement&.reset!
          end

          # @return [Array<Integer>] fresh ones
          def numbers(count)
            return [] if count.zero?

            last = rows(NUMBERS, count).dig(0, 0)
            (last - count + 1..last).to_a
          end

          # @return [void] whoever writes is alone
          def lock(_name) = nil

          # Who waits is told after the commit, and looks for itself where there is something.
          # @param queues [Array<String>]
          def wake(queues)
            @wakes ||= queues.any?
          end

          # @return [Integer] how many rows have been changed ever
          def total_changes = @database.total_changes

          # @return [Boolean]
          def transaction? = @database.transaction_active?

          def close
            @statements.each_value(&:close)
            @statements.clear
            @database.close
          end

          # In a child: the parent's files are closed, and nothing is written.
          def discard = @database.close

          private

          def bind(sql, params)
            statement = @statements[sql] || prepare(sql)
            index = 0
            params.each do |value|
              statement.bind_param(index += 1, value.is_a?(Array) ? JSON.generate(value) : value)
            end
            statement
          end

          def prepare(sql)
            @statements.shift.last.close if @statements.size >= KEPT
            @statements[sql] = @database.prepare(Dialect.translate(sql))
          end
        end
      end
    end
  end
end
