# frozen_string_literal: true

require_relative "../../../base/optional"
require_relative "../database"

module Raffia
  module Jobs
    class Import
      class Database
        # By the gem pg. The address may have `schema=`.
        # @api private
        class Postgres < Database
          def close = @connection&.close

          def table?(table)
            value("SELECT to_regclass(?) IS NOT NULL", table) == "t"
          end

          private

          def connect(url)
            Optional.gem("pg", ">= 1.6", for: "an import from PostgreSQL")
            base, query = url.split("?", 2)
            schema, rest = query.to_s.split("&").partition { |pair| pair.start_with?("schema=") }
            @connection = ::PG.connect([base, *(rest.join("&") if rest.any?)].join("?"))
            @connection.set_notice_processor { nil }
            execute("SET TIME ZONE 'UTC'", [])
            schema.each do |pair|
              name = @connection.quote_ident(pair.delete_prefix("schema="))
              execute("SET search_path TO #{name}", [])
            end
          end

          def execute(sql, values)
            number = 0
            @connection.exec_params(sql.gsub("?") { "$#{number += 1}" }, values).values
          end

          def translated
            yield
          rescue ::PG::Error => error
            raise refused(error)
          end
        end
      end
    end
  end
end
