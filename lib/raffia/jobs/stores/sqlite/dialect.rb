# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # The words in braces that statements have, as SQLite says them.
        # @api private
        module Dialect
          WORDS = {
            # any bytes: SQLite does not look at them
            "id" => "INTEGER PRIMARY KEY", "bytes" => "text",
            "now" => "unixepoch('subsec')", "uptime" => "raffia_uptime()",
            # Of another time that this machine was up, it may end later than it ever could: it is
            # void.
            "live" => "(ends_at > raffia_uptime() AND ends_at <= raffia_uptime() + ttl)",
            # There is but one writer.
            "lock" => "", "skip_locked" => ""
          }.freeze
          PREFIX = "raffia_"

          module_function

          # @param sql [String]
          # @return [String]
          def translate(sql)
            sql.gsub(/\{(\w+)(?: (\w+))?(?: \$(\d+))?\}/) { word($1, $2, $3) }
              .gsub(/\$(\d+)/, '?\1')
          end

          def word(name, column, number)
            case name
            when "ids", "names" then "IN (SELECT value FROM json_each(?#{number}))"
            when "contains" then "instr(#{column}, ?#{number}) > 0"
            else WORDS[name] || "#{PREFIX}#{name}"
            end
          end
        end
      end
    end
  end
end
