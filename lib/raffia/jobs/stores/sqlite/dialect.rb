# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        class Dialect < SQL::Dialect
          PREFIX = "raffia_"
          WORDS = {
            **SQL::Dialect::WORDS,
            # any bytes: SQLite does not look at them
            "id" => "INTEGER PRIMARY KEY", "bytes" => "text",
            "now" => "raffia_now()", "uptime" => "raffia_uptime()",
            # A lease of another uptime may end later than it ever could: it is void.
            "live" => "(ends_at > raffia_uptime() AND ends_at <= raffia_uptime() + ttl)",
            # There is one writer at a time.
            "lock" => "", "try_lock" => "", "skip_locked" => "",
            "ids" => "IN (SELECT value FROM json_each(%s))",
            "names" => "IN (SELECT value FROM json_each(%s))",
            "index" => "#{PREFIX}jobs_%s",
            "contains" => "instr(%s, %s) > 0"
          }.freeze

          def initialize
            super(WORDS, PREFIX)
          end

          def translate(sql) = super.gsub(/\$(\d+)/, '?\1')
        end
      end
    end
  end
end
