# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # The rows that a condition is true of, by their primary key.
        #
        # InnoDB locks each row that a statement reads, also by another index, and waits for rows
        # that others have locked. Two such statements, or one and a change by primary key, come to
        # a deadlock. So keys are read without locks first, and rows are locked by their primary
        # key in its order. The condition is checked again then.
        #
        # `id IN (SELECT ...)` has rows that the query has locked already.
        #
        # Lists of keys are joined, because the optimizer reads the whole table for `id IN (...)`
        # when it believes that the table is small, which is when it was empty at its last look.
        # @api private
        class RowSelection
          WANTED = "JSON_TABLE('[%<keys>s]', '$[*]' COLUMNS (wanted BIGINT PATH '$')) AS list " \
            "STRAIGHT_JOIN %<table>s FORCE INDEX (PRIMARY) ON %<table>s.%<key>s = list.wanted"

          attr_reader :key

          def initialize(table, key, condition)
            @table = table
            @key = key
            by_key = /\A#{key} (?:= \$(\d+)|IN \(\$(\d+)\))(?: AND (.*))?\z/m.match(condition)
            number, rest = by_key && [by_key[1] || by_key[2], by_key[3]]
            @number = number && Integer(number) - 1
            list = condition[/\A#{key} IN \((SELECT .*)\)\z/m, 1]
            find = list || "SELECT #{key} FROM #{table} WHERE #{condition}"
            @find = Statement.compile(find, {table => key}) unless by_key
            @condition = Statement.new((by_key || list) ? rest.to_s : condition)
          end

          # In their order.
          def keys(driver, params)
            keys = @find ? @find.rows(driver, params).flatten : Array(params.fetch(@number))
            (keys.size > 1) ? keys.uniq.sort : keys
          end

          # Tables, and the condition that rows of these keys must meet; yields texts.
          def on(driver, keys, params)
            condition = params ? @condition.bind(driver, params) : ""
            return yield @table, clause(driver, keys.first, condition) if keys.one?

            tables = format(WANTED, keys: keys.join(","), table: @table, key: @key)
            yield tables, (condition.empty? ? "" : "WHERE ".b << condition)
          end

          # Whether rows of several keys can be joined.
          def joins?(keys) = keys.all?(Integer)

          private

          def clause(driver, key, condition)
            text = "WHERE #{@key} = ".b << driver.literal(key)
            condition.empty? ? text : text << " AND (" << condition << ")"
          end
        end
      end
    end
  end
end
