# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # A SELECT that locks its rows, by primary keys: see {RowSelection}.
        # @api private
        class LockStatement
          FORM = /\ASELECT[ ](?<columns>.*?)[ ]FROM[ ](?<table>\S+)[ ]WHERE[ ](?<condition>.*?)
            (?<order>[ ]ORDER[ ]BY[ ].*?)?[ ]FOR[ ]UPDATE\z/mx

          def self.parse(text, keys)
            match = FORM.match(text) or return
            key = keys[match[:table]] or return
            new(RowSelection.new(match[:table], key, match[:condition]), match[:columns],
              match[:order])
          end

          def initialize(selection, columns, order)
            @selection = selection
            @columns = columns
            @order = order
          end

          def rows(driver, params)
            keys = @selection.keys(driver, params)
            return [] if keys.empty?

            @selection.on(driver, keys, params) do |tables, condition|
              driver.query("SELECT #{@columns} FROM #{tables} ".b << condition <<
                "#{@order} FOR UPDATE")
            end
          end
        end
      end
    end
  end
end
