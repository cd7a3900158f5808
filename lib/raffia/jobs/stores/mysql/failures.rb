# frozen_string_literal: true

require_relative "../sql/failures"

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # Errors of the server as {StoreUnavailable}, with advice.
        # @api private
        module Failures
          # Deadlock, lock wait timeout, and a row that has changed since it was read.
          CONFLICTS = [1213, 1205, 1020].freeze
          NO_TABLES = 1146
          # Logins that are refused, and unknown databases.
          REFUSED = [1044, 1045, 1049, 1698].freeze

          # Errors of TLS, in the driver's words. A connection that breaks off is none.
          TLS = /SSL Error: (?!.*\beof\b)|SSL required/

          # Advice by the server's numbers.
          ADVICE = {
            1021 => "its disk is full: make room, nothing is lost of what was kept",
            1040 => "it has no connection left: lower pool= of the address, or raise " \
              "max_connections",
            1041 => "it is out of memory",
            1044 => "the user may not use this database: GRANT ALL ON it",
            1045 => "it refuses the login: check user and password of the address",
            1049 => "there is no such database: make it with CREATE DATABASE",
            1053 => "it was restarted: it can be tried again",
            1114 => "its disk is full: make room, nothing is lost of what was kept",
            1142 => "the user may not do that: GRANT SELECT, INSERT, UPDATE, DELETE on the " \
              "tables, and CREATE, INDEX for the first start",
            1146 => "its tables are gone: they are made again on next use",
            1153 => "the job is too large for it: raise max_allowed_packet",
            1290 => "it takes no changes (read_only): connect to the primary",
            1317 => "the statement was cancelled",
            1406 => "a name or key is longer than 375 characters",
            1665 => "it cannot log these transactions: set binlog_format to ROW or MIXED",
            1698 => "it refuses the login: check user and password of the address",
            1792 => "it takes no changes (read_only): connect to the primary",
            1836 => "it takes no changes (read_only): connect to the primary",
            1927 => "it has ended the connection: it can be tried again",
            1969 => "the statement was cancelled (max_statement_time)",
            3024 => "the statement was cancelled (max_execution_time)"
          }.freeze

          module_function

          def translate_errors(address)
            yield
          rescue Trilogy::Error => error
            raise translate(error, address)
          rescue SocketError, SystemCallError, IOError => error
            raise StoreUnavailable, "MySQL at #{address.url} cannot be reached: " \
              "#{message(error)}"
          end

          def translate(error, address)
            return refused_tls(error, address) if error.message.match?(TLS)

            code = error.error_code if error.respond_to?(:error_code)
            advice = ADVICE[code]
            kind(code).new("MySQL at #{address.url}: " \
              "#{message(error)}#{" - #{advice}" if advice}")
          end

          # Another try would end in the same way.
          def refused_tls(error, address)
            StoreRefused.new("MySQL at #{address.url}: no TLS connection, by #{message(error)}: " \
              "compare the server's certificate with ssl_ca and with the host of the address, or " \
              "see whether the server has TLS at all")
          end

          # The driver repeats a system's error.
          def message(error)
            error.message.scrub.split.join(" ").sub(/\A(.+?) - (?=\1)/, "")
          end

          def kind(code)
            case code
            when *CONFLICTS then SQL::Failures::Conflict
            when NO_TABLES then SQL::Failures::NoTables
            when *REFUSED then StoreRefused
            else StoreUnavailable
            end
          end
        end
      end
    end
  end
end
