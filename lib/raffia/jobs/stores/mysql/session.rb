# frozen_string_literal: true

require_relative "../../../base/optional"
require_relative "failures"

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # Opens connections with the settings that the store needs.
        # @api private
        module Session
          GEM = ">= 2.11"
          # Rows are locked by their keys, and not between them. A wait for a lock is as long as a
          # transaction of another connection, a few milliseconds.
          SETTINGS = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED; " \
            "SET SESSION innodb_lock_wait_timeout = 5, time_zone = '+00:00', autocommit = 1, " \
            "sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'"
          # A process that is suspended in a transaction would keep its locks for hours.
          MARIADB = "#{SETTINGS}, idle_transaction_timeout = 10".freeze
          MYSQL = "#{SETTINGS}, wait_timeout = 60".freeze
          # The oldest versions.
          OLDEST = {mariadb: [10, 8], mysql: [8, 0]}.freeze
          TLS = {"preferred" => :SSL_PREFERRED_NOVERIFY, "required" => :SSL_REQUIRED_NOVERIFY,
                 "verify_ca" => :SSL_VERIFY_CA, "verify_identity" => :SSL_VERIFY_IDENTITY}.freeze

          module_function

          def load
            Optional.gem("bigdecimal", for: "the mysql store") # trilogy does not name it
            Optional.gem("trilogy", GEM, for: "the mysql store")
          end

          def open(address)
            Failures.translate_errors(address) do
              raw = Trilogy.new({**address.connection, **tls(address.ssl_mode)})
              version = raw.server_version
              kind = version.include?("MariaDB") ? :mariadb : :mysql
              check(address, version.delete_prefix("5.5.5-"), OLDEST.fetch(kind))
              raw.query((kind == :mariadb) ? MARIADB : MYSQL)
              raw.next_result while raw.more_results_exist?
              raw
            end
          end

          def tls(mode)
            TLS.key?(mode) ? {ssl: true, ssl_mode: Trilogy.const_get(TLS[mode])} : {}
          end

          def check(address, version, oldest)
            return if (version.scan(/\d+/).first(2).map(&:to_i) <=> oldest) >= 0

            raise StoreRefused, "MySQL at #{address.url} has version #{version}: the mysql " \
              "store needs MariaDB 10.8 or MySQL 8.0"
          end
        end
      end
    end
  end
end
