# frozen_string_literal: true

require_relative "../../../base/optional"
require_relative "../database"

module Raffia
  module Jobs
    class Import
      class Database
        # By the gem sqlite3. There is one writer at a time, so rows need no locks.
        # @api private
        class SQLite < Database
          # Milliseconds to wait for other writers.
          BUSY = 10_000
          private_constant :BUSY

          def close = @connection&.close

          def lock = ""

          def table?(table)
            value("SELECT COUNT(*) FROM sqlite_master WHERE name = ?", table).positive?
          end

          private

          def connect(url)
            Optional.gem("sqlite3", ">= 2.9.2", for: "an import from SQLite")
            path = url.sub(/\Asqlite3?:/, "").sub(%r{\A//(?=/)}, "")
            unless ::File.file?(path)
              raise NotFound.new("there is no database #{path}", name: path)
            end

            @connection = ::SQLite3::Database.new(path)
            @connection.busy_timeout = BUSY
          end

          def begin_statement = "BEGIN IMMEDIATE"

          def execute(sql, values) = @connection.execute(sql, values)

          def translated
            yield
          rescue ::SQLite3::Exception => error
            raise refused(error)
          end
        end
      end
    end
  end
end
