# frozen_string_literal: true

require_relative "../../../base/fork"
require_relative "dialect"
require_relative "driver"
require_relative "pool"
require_relative "tables"

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # The database: pooled connections, transactions, and the tables, which it makes on first
        # use.
        # @api private
        class Database
          # Tries of a transaction that conflicts with another one.
          TRIES = 5

          # @return [Dialect]
          attr_reader :dialect

          # @param address [Address]
          def initialize(address)
            @address = address
            @dialect = Dialect.new(address.schema)
            @tables = Tables.new(@dialect)
            # All connections, also those in use: a child must disown them before it does anything
            # else.
            @drivers = ::ObjectSpace::WeakMap.new
            @fork = Fork.after_child { @drivers.keys.each(&:disown) }
            @pool = Pool.new(@address.pool) { connect }
            @bound = :"raffia_jobs_connection_#{object_id}"
          end

          # @yieldparam db [Driver]
          # @return [Object] what the block returns
          def read(&)
            bound = ::Thread.current[@bound] and return yield(bound)
            ready
            session(&)
          end

          # @param durable [Boolean] whether to wait for the disk
          # @yieldparam db [Driver]
          # @return [Object] what the block returns
          def write(durable: true, &)
            # Within the application's transaction this is all or nothing, too, and an error here
            # must not abort that.
            bound = ::Thread.current[@bound] and return bound.savepoint { yield bound }
            transaction(durable ? :durable : :quick, &)
          end

          # @param kind [Symbol] see {Driver#transaction}
          # @yieldparam db [Driver]
          def transaction(kind)
            ready
            retry_conflicts { session { |db| db.transaction(kind) { yield db } } }
          end

          # @yieldparam db [Driver] outside of any transaction
          def session(&)
            @pool.with(&)
          rescue Failures::NoTables
            @ready = false
            @on_missing_tables&.call
            raise
          end

          # Tries the block again after conflicts with other transactions.
          def retry_conflicts
            tries = 0
            begin
              yield
            rescue Failures::Conflict
              raise if (tries += 1) == TRIES
              retry
            end
          end

          # Makes the tables where there are none. Never on the application's connection, whose
          # transaction may be rolled back.
          def ready
            @ready ||= @pool.with { |db| retry_conflicts { @tables.ready(db) } }
          end

          # @yield when the tables are gone
          def on_missing_tables(&block)
            @on_missing_tables = block
          end

          def within(connection, &)
            ready
            driver = Driver.over(connection, @address, @dialect)
            driver.inside? ? bind(driver, &) : connection.transaction { bind(driver, &) }
          end

          # @return [Driver, nil] a connection of its own for LISTEN; nil where that does not work
          def listener
            return if @address.listen == :off

            driver = connect
            return driver if @address.listen == :on || driver.direct?

            driver.close
            nil
          end

          # PostgreSQL reads each row of a table that has changed lately.
          def countable = 20_000

          def damage = []

          def close
            @fork.remove
            @pool.close
          end

          private

          def connect
            Driver.connect(@address, @dialect).tap { |driver| @drivers[driver] = true }
          end

          # For this fiber only: others have connections of their own.
          def bind(driver)
            before = ::Thread.current[@bound]
            ::Thread.current[@bound] = driver
            yield
          rescue Failures::NoTables
            raise ConfigError,
              "the connection that the jobs are to be written on has no tables of theirs: it " \
              "must be one to the database of #{@address.url}"
          ensure
            ::Thread.current[@bound] = before
          end
        end
      end
    end
  end
end
