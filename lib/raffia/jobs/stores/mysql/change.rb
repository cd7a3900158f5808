# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # An UPDATE or DELETE, by primary keys: see {RowSelection}. MySQL has no RETURNING, so rows
        # are locked and read before. Their values are those from before the change.
        # @api private
        class Change
          FORM = /\A(?:UPDATE[ ](?<updated>\S+)[ ]SET[ ](?<set>.*?)|DELETE[ ]FROM[ ](?<deleted>\S+))
            [ ]WHERE[ ](?<condition>.*?)(?:[ ]RETURNING[ ](?<columns>.*))?\z/mx
          # Most keys in one statement.
          MOST = 1000

          def self.parse(text, keys)
            match = FORM.match(text) or return
            table = match[:updated] || match[:deleted]
            key = keys[table] or return
            new(RowSelection.new(table, key, match[:condition]), table, match[:set],
              match[:columns])
          end

          def initialize(selection, table, set, columns)
            @selection = selection
            @table = table
            @set = set && Statement.new(set)
            @columns = columns
          end

          # Values of the rows that were changed.
          def rows(driver, params)
            in_parts(driver, params).flat_map do |keys|
              rows = locked(driver, keys, params)
              change(driver, rows.map(&:last).sort, params, nil) if rows.any?
              rows.each(&:pop)
            end
          end

          def run(driver, params)
            in_parts(driver, params).sum { |keys| change(driver, keys, params, params) }
          end

          private

          def in_parts(driver, params)
            keys = @selection.keys(driver, params)
            keys.each_slice(@selection.joins?(keys) ? MOST : 1)
          end

          # With the key as the last column.
          def locked(driver, keys, params)
            @selection.on(driver, keys, params) do |tables, condition|
              driver.query("SELECT #{@columns}, #{@table}.#{@selection.key} FROM #{tables} ".b <<
                condition << " FOR UPDATE")
            end
          end

          # Nil as condition: the rows are locked, and are known to meet it.
          def change(driver, keys, params, condition)
            @selection.on(driver, keys, condition) do |tables, clause|
              driver.change(verb(driver, tables, keys.one?, params) << clause)
            end
          end

          def verb(driver, tables, one, params)
            return "DELETE #{"#{@table} " unless one}FROM #{tables} ".b unless @set

            "UPDATE #{tables} SET ".b << @set.bind(driver, params) << " "
          end
        end
      end
    end
  end
end
