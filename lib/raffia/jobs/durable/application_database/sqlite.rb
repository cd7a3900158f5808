# frozen_string_literal: true

require_relative "../../../base/clock"
require_relative "statements"

module Raffia
  module Jobs
    module Durable
      module ApplicationDatabase
        # A SQLite3::Database.
        # @api private
        class SQLite
          include Statements

          # Seconds to wait for another transaction, and between two tries.
          TIMEOUT = 10
          PAUSE = 0.005
          private_constant :TIMEOUT, :PAUSE

          attr_reader :connection

          def initialize(connection)
            @connection = connection
          end

          def open? = @connection.transaction_active?

          # The gem's own `transaction` commits when a fiber is cancelled in it.
          def transaction(&) = all_or_nothing("BEGIN IMMEDIATE", &)

          def run(sql)
            retry_busy { @connection.execute(sql) }
            @connection.changes
          end

          def value(sql) = @connection.get_first_value(sql)

          def quote(text) = "'#{::SQLite3::Database.quote(text)}'"

          def table?(name)
            !value("SELECT 1 FROM sqlite_master WHERE name = #{quote(name)}").nil?
          end

          private

          # SQLite itself would wait with Ruby's lock held, unless the connection has a handler.
          def retry_busy
            yield
          rescue ::SQLite3::BusyException
            raise unless Clock.now < (deadline ||= Clock.now + TIMEOUT)

            sleep(PAUSE)
            retry
          end
        end
      end
    end
  end
end
