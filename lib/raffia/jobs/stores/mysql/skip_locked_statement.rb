# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # A SELECT of the first rows in an order that no other transaction has locked. It locks them
        # by their primary keys alone.
        #
        # InnoDB with SKIP LOCKED on another index keeps entries of that index locked: those of rows
        # that it has skipped, and the one after its range. The owner of such a row changes it
        # later, waits for this entry, and may hold a lock that the reader waits for. So the keys
        # are read without locks, more than wanted, and the first that are free are locked.
        # @api private
        class SkipLockedStatement
          FORM = /\ASELECT[ ](?<columns>.*)[ ]FROM[ ](?<table>\S+)
            (?<index>[ ]FORCE[ ]INDEX[ ]\(\w+\))?
            [ ]WHERE[ ](?<condition>.*?)(?<order>[ ]ORDER[ ]BY[ ].*?)?[ ]LIMIT[ ]\$(?<limit>\d+)
            [ ]FOR[ ]UPDATE[ ]SKIP[ ]LOCKED\z/mx
          # Keys that are read beyond those wanted: twice as many and a few, as other claims of the
          # same size hold, but at most these.
          MARGIN = 64
          FEW = 8
          # All keys read were there, and others have locked some: so many times more are read.
          GROWTH = 4

          def self.parse(text, keys)
            match = FORM.match(text) or return
            key = keys[match[:table]] or return
            new(match, key)
          end

          def initialize(match, key)
            @selection = RowSelection.new(match[:table], key, match[:condition])
            @columns = match[:columns]
            @limit = Integer(match[:limit]) - 1
            @find = Statement.new("SELECT #{key} FROM #{match[:table]}#{match[:index]} " \
              "WHERE #{match[:condition]}#{match[:order]} LIMIT ")
          end

          # In their order.
          def rows(driver, params)
            wanted = params.fetch(@limit)
            window = wanted + [wanted * 2 + FEW, MARGIN].min
            loop do
              keys = driver.query(@find.bind(driver, params) << window.to_s).flatten
              rows = keys.empty? ? [] : lock(driver, keys, params, wanted)
              return rows if rows.size >= wanted || keys.size < window

              window *= GROWTH
            end
          end

          private

          def lock(driver, keys, params, wanted)
            @selection.on(driver, keys, params) do |tables, condition|
              driver.query("SELECT #{@columns} FROM #{tables} ".b << condition <<
                " LIMIT #{wanted} FOR UPDATE SKIP LOCKED")
            end
          end
        end
      end
    end
  end
end
