# frozen_string_literal: true

require_relative "../sql/failures"

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # Errors of the server as {StoreUnavailable}, with advice.
        # @api private
        module Failures
          # Advice by the first letters of SQLSTATE, the longest first.
          ADVICE = {
            "25006" => "it takes no changes (a standby, or default_transaction_read_only): " \
              "connect to the primary, with several hosts by target_session_attrs=read-write",
            "28" => "it refuses the login: check user and password of the address, and " \
              "pg_hba.conf",
            "3D000" => "there is no such database: make it with createdb",
            "42501" => "the role may not do that: GRANT it the schema's tables, or CREATE on the " \
              "database for the first start",
            "42P01" => "its tables are gone: they are made again on next use",
            "3F000" => "its tables are gone: they are made again on next use",
            "53100" => "its disk is full: make room, nothing is lost of what was kept",
            "53200" => "it is out of memory: lower its work_mem or give it more",
            "53300" => "it has no connection left: lower pool= of the address, raise " \
              "max_connections, or put a pooler in front of it",
            "57P03" => "it is starting or stopping: it can be tried again",
            "57P" => "it was restarted: it can be tried again",
            "57014" => "the statement was cancelled (statement_timeout, or by hand)"
          }.freeze

          module_function

          def translate_errors(address)
            yield
          rescue PG::Error => error
            raise translate(error, address)
          rescue SocketError, SystemCallError, IOError => error
            raise StoreUnavailable, "PostgreSQL at #{address.url} cannot be reached: " \
              "#{message(error)}"
          end

          def translate(error, address)
            state = state(error)
            advice = ADVICE.find { |code, _| state.start_with?(code) }&.last
            kind(state).new("PostgreSQL at #{address.url}: " \
              "#{message(error)}#{" - #{advice}" if advice}")
          end

          def message(error) = error.message.scrub.split.join(" ")

          # A failed connect has no code.
          def state(error)
            if error.respond_to?(:result)
              code = error.result&.error_field(PG::Result::PG_DIAG_SQLSTATE)
            end
            return code if code

            case error.message
            when /password authentication failed|no password supplied|no pg_hba.conf entry/,
                /role ".*" does not exist/
              "28000"
            when /database ".*" does not exist/ then "3D000"
            when /too many clients|remaining connection slots/ then "53300"
            when /the database system is/ then "57P03"
            else ""
            end
          end

          def kind(state)
            case state
            when "40001", "40P01" then SQL::Failures::Conflict
            when "42P01", "3F000" then SQL::Failures::NoTables
            when /\A28/ then StoreRefused
            else StoreUnavailable
            end
          end
        end
      end
    end
  end
end
