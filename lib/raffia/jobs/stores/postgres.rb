# frozen_string_literal: true

require_relative "../../base/fork"
require_relative "sql"
require_relative "postgres/address"
require_relative "postgres/driver"
require_relative "postgres/listener"
require_relative "postgres/held"
require_relative "postgres/hot"
require_relative "postgres/insistence"
require_relative "postgres/pool"
require_relative "postgres/session"
require_relative "postgres/tables"
require_relative "postgres/words"

module Raffia
  module Jobs
    module Stores
      # Jobs in PostgreSQL (from version 12), in tables of their own in a schema of their own, which
      # is made on first use. Workers take them with SKIP LOCKED and wait for news by LISTEN. What
      # enqueues them may be a transaction of the application's: {#within}.
      class Postgres < SQL
        include Hot
        include Insistence
        include Held

        # How often a transaction is tried that is in another's way.
        TRIES = 5

        # @param url [String] see {Address}
        # @param options [Hash] schema, pool, listen, look: as in the address
        # @raise [ConfigError]
        # @raise [MissingDependency] when there is no gem pg
        def initialize(url, **options)
          super()
          Driver.load
          @address = Address.parse(url, **options)
          @words = Words.new(@address.schema)
          @tables = Tables.new(@words)
          # All there are, also those that a thread has in hand just now: a child must leave each of
          # them alone, before it does anything else.
          @drivers = ::ObjectSpace::WeakMap.new
          @fork = Fork.after_child { @drivers.keys.each(&:disown) }
          @pool = Pool.new(@address.pool) { connect }
          @listener = Listener.new(@address.look) { listening }
          @known = [].freeze
          @held = {}
          @bound = :"raffia_jobs_connection_#{object_id}"
        end

        # (see Store#url)
        def url = @address.url

        # (see Store#within)
        def within(connection, &)
          ready
          driver = Driver.over(connection, @address)
          driver.inside? ? bind(driver, &) : connection.transaction { bind(driver, &) }
        end

        # (see Store#wait)
        def wait(queues, timeout: nil)
          @listener.wait(@words.channels(queues), timeout) { something?(queues) }
        end

        # Where a table has changed lately each row must be looked at.
        # (see Store#countable)
        def countable = 20_000

        # (see Store#interrupt)
        def interrupt = @listener.interrupt

        # Without what the address has for the driver only.
        def inspect = "#<#{self.class} #{url}>"

        # (see Store#close)
        def close
          @fork.remove
          @listener.close
          @pool.close
        end

        private

        SOMETHING = "SELECT EXISTS (SELECT FROM {jobs} WHERE state = 'queue' AND queue {names " \
        "$1} AND priority < #{Store::SUSPECTS}) OR " \
          "EXISTS (SELECT FROM {jobs} WHERE state IN ('scheduled', 'retry'))"
        private_constant :SOMETHING

        # For this fiber, and not for those that it starts: they have connections of their own.
        def bind(driver)
          before = ::Thread.current[@bound]
          ::Thread.current[@bound] = Session.new(driver, @words)
          yield
        rescue Failures::NoTables
          raise ConfigError, "the connection that the jobs are to be written on has no tables of " \
            "theirs: it must be one to the database of #{url}"
        ensure
          ::Thread.current[@bound] = before
        end

        # Whoever waits finds out what is wrong by doing what there is to do.
        def something?(queues)
          reading { |db| db.rows(SOMETHING, queues) }[0][0]
        rescue StoreUnavailable
          true
        end

        def reading(&)
          bound = ::Thread.current[@bound] and return yield(bound)
          ready
          session(&)
        end

        def writing(durable: true, &)
          # All or nothing also in somebody else's transaction, and an error of ours must not be
          # theirs.
          bound = ::Thread.current[@bound] and return bound.driver.savepoint { yield bound }
          transaction(durable ? :durable : :quick, &)
        end

        def transaction(way)
          ready
          again { session { |db| db.driver.transaction(way) { yield db } } }
        end

        def session
          @pool.with { |driver| yield Session.new(driver, @words) }
        rescue Failures::NoTables
          @ready = false
          @known = [].freeze
          raise
        end

        def again
          tries = 0
          begin
            yield
          rescue Failures::Conflict
            raise if (tries += 1) == TRIES
            retry
          end
        end

        # Never on somebody else's connection, whose transaction may be undone.
        def ready
          @ready ||= @pool.with { |driver| again { @tables.ready(Session.new(driver, @words)) } }
        end

        def connect = Driver.connect(@address).tap { |driver| @drivers[driver] = true }

        def listening
          return if @address.listen == :off

          driver = connect
          return driver if @address.listen == :on || driver.direct?

          driver.close
          nil
        end
      end
    end
  end
end
