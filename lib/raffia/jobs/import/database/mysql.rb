# frozen_string_literal: true

require "uri"
require_relative "../../../base/optional"
require_relative "../database"

module Raffia
  module Jobs
    class Import
      class Database
        # MySQL 8 and MariaDB 10.6 or later, by the gem trilogy.
        # @api private
        class MySQL < Database
          FLAG = 1 # Trilogy::QUERY_FLAGS_CAST: values become numbers and times
          private_constant :FLAG

          def close = @connection&.close

          def text = "LONGTEXT"

          def table?(table)
            value("SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = " \
              "DATABASE() AND table_name = ?", table).to_i.positive?
          end

          private

          def connect(url)
            Optional.gem("bigdecimal", for: "an import from MySQL") # trilogy does not name it
            Optional.gem("trilogy", ">= 2.11", for: "an import from MySQL")
            uri = URI.parse(url)
            options = URI.decode_www_form(uri.query.to_s).to_h
            @connection = ::Trilogy.new(**{
              host: uri.host, port: uri.port, username: decoded(uri.user),
              password: decoded(uri.password), database: decoded(uri.path.delete_prefix("/")),
              socket: options["socket"]
            }.compact)
            @connection.query_flags &= ~FLAG
            execute("SET time_zone = '+00:00'", [])
          rescue URI::Error
            raise ConfigError, "#{@url} is no address of MySQL: use one such as " \
              "mysql://user:password@localhost:3306/app, with % codes for special characters"
          end

          def decoded(text) = text && URI.decode_uri_component(text)

          def execute(sql, values)
            values = values.dup
            @connection.query(sql.gsub("?") { literal(values.shift) }).to_a
          end

          def literal(value)
            case value
            when nil then "NULL"
            when Integer then value.to_s
            else "'#{@connection.escape(value)}'"
            end
          end

          def translated
            yield
          rescue ::Trilogy::Error, SystemCallError, SocketError => error
            raise refused(error)
          end
        end
      end
    end
  end
end
