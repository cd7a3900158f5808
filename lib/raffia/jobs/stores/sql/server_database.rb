# frozen_string_literal: true

require_relative "../../../base/fork"
require_relative "failures"

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Connections to a database server, transactions, and the tables. The subclass of a server
        # has `connect` (a new driver), `wrap` (a driver on an application's connection), and the
        # server's {SERVER} name. A driver has `transaction`, `savepoint`, `inside?`, `usable?`,
        # `close` and `disown`.
        #
        # Transactions lock in one order, so that they wait for each other without a deadlock:
        #
        # 1. statistics, then the lease
        # 2. the jobs that the transaction is about, all of them, by their numbers
        # 3. paused tenants
        # 4. unique keys, in the order of their bytes
        # 5. flows, batches, workflows: children before parents
        # 6. limits in one order, then jobs that they block
        # 7. rates in one order, then jobs that they block
        #
        # Other jobs, which a claim blocks, are passed over when they are locked. An enqueue locks
        # the jobs that it may replace first; on an application's connection, and at the end of a
        # batch, it passes over those that others have locked. A claim opens rates in a transaction
        # before its own.
        #
        # Three rare kinds break the order, and are repeated after a {Failures::Conflict}: drafts
        # with unique keys that a batch or workflow adds at its end, the cancellation of a workflow
        # beside a claim of its jobs, and changes of blocked jobs by an operator. Also
        # repeated: on PostgreSQL a resignation, a death, a recovery and a release of several lock
        # the jobs of a lease by their places, and an ack of several leases locks the jobs of one
        # lease after those of another. They share jobs with others only when a lease is lost.
        # @api private
        class ServerDatabase
          TRIES = 5
          # Seconds to wait for a connection.
          TIMEOUT = 30

          attr_reader :dialect

          def initialize(address, dialect, tables)
            @address = address
            @dialect = dialect
            @tables = tables
            # Also those in use: a child must disown them before it does anything else.
            @drivers = ::ObjectSpace::WeakMap.new
            @fork = Fork.after_child { after_fork }
            reset
            @bound = :"raffia_jobs_connection_#{object_id}"
          end

          def read(&)
            bound = ::Thread.current[@bound] and return yield(bound)
            ensure_tables
            session(&)
          end

          def write(durable: true, &)
            # An error in here must not abort the application's transaction.
            bound = ::Thread.current[@bound] and return bound.savepoint { yield bound }
            transaction(durable ? :durable : :quick, &)
          end

          def transaction(kind)
            ensure_tables
            retry_conflicts { session { |db| db.transaction(kind) { yield db } } }
          end

          # Yields a connection for this caller alone.
          def session
            permits = @permits
            permits.pop(timeout: TIMEOUT) or
              raise StoreUnavailable, "all #{@address.pool} connections to #{self.class::SERVER} " \
                "are in use, for #{TIMEOUT} s now: raise pool= of the address"
            begin
              driver = lend
              yield driver
            ensure
              take_back(driver) if driver
              permits.push(true)
            end
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
            rescue Failures::Conflict => error
              count_conflict(error)
              raise if (tries += 1) == TRIES
              retry
            end
          end

          # Never on the application's connection, whose transaction may be rolled back.
          def ensure_tables
            @ready ||= session { |db| retry_conflicts { @tables.ensure_version(db) } }
          end

          def on_missing_tables(&block)
            @on_missing_tables = block
          end

          def within(connection, &)
            ensure_tables
            driver = wrap(connection)
            driver.inside? ? bind(driver, &) : begin_on(connection, driver) { bind(driver, &) }
          end

          def damage = []

          def close
            @fork.remove
            while (driver = @idle.pop) do driver.close end
          end

          private

          def count_conflict(_error) = nil

          def begin_on(connection, _driver, &) = connection.transaction(&)

          def reset
            # A queue wakes fibers and threads alike.
            @permits = ::Thread::Queue.new(Array.new(@address.pool, true))
            @idle = []
          end

          def after_fork
            @drivers.keys.each(&:disown)
            reset
          end

          # Lends the connection that was returned last, so a process has only as many as it uses at
          # the same time. One that the server has closed is found now: later it would be unknown
          # whether a statement was done.
          def lend
            while (driver = @idle.pop)
              return driver if driver.usable?

              driver.close
            end
            connect.tap { |made| @drivers[made] = true }
          end

          # A cancelled fiber leaves its connection in the middle of something.
          def take_back(driver) = driver.reusable? ? @idle.push(driver) : driver.close

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
