# frozen_string_literal: true

require "raffia/jobs/stores/sqlite"

module Simulations
  module Jobs
    # Faults of a SQLite database: a writer that keeps it locked, a full disk, and errors
    # of input and output. Locks and lack of room are SQLite's own.
    class SQLiteFaults
      KINDS = %i[lock fill fail_commit fail_flush].freeze
      # Pages that no database of a run has.
      ROOM = 1_000_000

      def initialize(program, path)
        @program = program
        @path = path
      end

      # Threads that do so many faults of the kinds that the run chooses, on these stores.
      def begin(stores, count:)
        kinds = KINDS.select { @program.choose(3).positive? }
        return if kinds.empty?

        count.times do
          thread = Thread.new do
            @program.passes(40)
            store = @program.one_of(*stores)
            send(@program.one_of(*kinds), connection(store))
          end
          @program.sim.daemon(thread)
        end
      end

      private

      # Longer than the store waits, at times.
      def lock(_)
        other = SQLite3::Database.new(@path)
        other.execute("BEGIN IMMEDIATE")
        @program.one_of(true, false) ? @program.passes(40) : @program.nap(12)
        other.execute("ROLLBACK")
      rescue SQLite3::BusyException
        nil
      ensure
        other.close
      end

      def fill(connection)
        database = connection.instance_variable_get(:@database)
        return if database.closed?

        database.execute("PRAGMA max_page_count = 1") # the present size
        @program.passes(40)
        database.execute("PRAGMA max_page_count = #{ROOM}") unless database.closed?
      end

      # The next commit fails. SQLite may have undone the transaction.
      def fail_commit(connection)
        program = @program
        pending = true
        connection.define_singleton_method(:run) do |sql, *params|
          if pending && sql == "COMMIT"
            pending = false
            super("ROLLBACK") if program.choose(2).zero?
            raise SQLite3::IOException, "disk I/O error"
          end
          super(sql, *params)
        end
      end

      def fail_flush(_) = @program.sim.inject(Errno::EIO, at: "File#fdatasync")

      def connection(store)
        store.instance_variable_get(:@database).instance_variable_get(:@connection)
      end
    end
  end
end
