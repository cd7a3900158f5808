# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Translates the words in braces of statements. Each database has a subclass with the words
        # that differ; any other word is the name of a table.
        #
        # * `{upsert KEY} COL = ...`: changes the row where the key of an INSERT exists
        # * `{ignore KEY}`: an INSERT does nothing where the key exists
        # * `{excluded COL}`, `{existing COL}`: the value that such an INSERT has, and the row's;
        #   its table is `{TABLE existing}` then
        # * `{returning} COLS`: of the rows that a statement changed
        # * `{lock}`, `{skip_locked}`: locks rows until the commit; skips those locked by others
        # * `{try_lock}`: like `{lock}`; a database may pass over rows that others have locked,
        #   where it would come to a deadlock
        # * `{now}`, `{uptime}`, `{live}`: the clock of times, that of leases, whether a lease holds
        # * `{ids $1}`, `{names $1}`: is in this list
        # * `{index NAME}`: an index that exists
        # * `{contains COL $1}`: has these bytes
        # * `{id}`, `{bytes}`: types of columns
        # @api private
        class Dialect
          WORD = /\{(\w+)((?: [^ }]+)*)\}/
          # Words of databases with ON CONFLICT and RETURNING.
          WORDS = {
            "upsert" => "ON CONFLICT (%s) DO UPDATE SET", "ignore" => "ON CONFLICT (%s) DO NOTHING",
            "excluded" => "excluded.%s", "existing" => "existing.%s", "returning" => "RETURNING"
          }.freeze

          # Each word is a text, or a format of its arguments.
          def initialize(words, prefix)
            @words = words
            @prefix = prefix
            @texts = {}
          end

          def text(sql) = @texts[sql] ||= translate(sql)

          def translate(sql) = sql.gsub(WORD) { word($1, $2.split) }

          private

          def word(name, arguments)
            unless (text = @words[name])
              return "#{@prefix}#{name}#{" AS existing" if arguments == ["existing"]}"
            end

            arguments.empty? ? text : format(text, *arguments)
          end
        end
      end
    end
  end
end
