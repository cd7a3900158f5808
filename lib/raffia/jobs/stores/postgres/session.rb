# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # Runs statements of {SQL} on a connection, in its dialect.
        # @api private
        class Session
          # @param driver [Driver]
          # @param dialect [Dialect]
          def initialize(driver, dialect)
            @driver = driver
            @dialect = dialect
          end

          # @return [Driver]
          attr_reader :driver

          # @return [Array<Array>]
          def rows(sql, *params) = @driver.rows(@dialect.text(sql), *params)

          # @return [Integer] number of rows changed
          def run(sql, *params) = @driver.run(@dialect.text(sql), *params)

          # Notifies waits for these queues at the commit, once each.
          # @param queues [Array<String>]
          def wake(queues)
            return if queues.empty?

            rows("SELECT pg_notify(name, '') FROM unnest($1::text[]) AS name",
              @dialect.channels(queues))
          end

          # Holds the lock until the transaction ends.
          # @param name [String]
          def lock(name)
            rows("SELECT pg_advisory_xact_lock(hashtextextended($1, $2))", name, @dialect.seed)
          end

          # @return [Array<Integer>] higher than all before
          def numbers(count)
            rows("SELECT nextval('{numbers}') FROM generate_series(1, $1::int)", count).flatten
          end
        end
      end
    end
  end
end
