# frozen_string_literal: true

require_relative "connection"
require_relative "database_file"
require_relative "driver"
require_relative "group_commit"
require_relative "shared_transaction"
require_relative "uptime"
require_relative "write_ahead_log"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # One connection that writes, and one that reads, opened at first use.
        # @api private
        class Database
          BOOT = "SELECT value FROM {counters} WHERE name = 'boot'"
          SET_BOOT = "INSERT INTO {counters} (name, value) VALUES ('boot', $1) " \
            "{upsert name} value = {excluded value}"

          TABLES = "SELECT 1 FROM sqlite_master WHERE name = $1"

          # The block runs after commits with jobs.
          def initialize(address, timeout, &notify)
            @address = address
            @timeout = timeout
            @notify = notify
            reset
          end

          def write(durable: true, &) = opened { |writer| writer.call(durable, &) }

          def read
            opened do
              @read_lock.synchronize do
                @log.check_identity
                retry_busy do
                  @reader.run("BEGIN")
                  yield @reader
                ensure
                  @reader.run("ROLLBACK") if @reader.transaction?
                end
              end
            end
          end

          def countable = 100_000

          def damage = read { |db| db.rows("PRAGMA integrity_check") }.flatten - ["ok"]

          def close(writer = @writer)
            @open_lock.synchronize do
              next unless @writer&.equal?(writer)

              @writer = nil
              [@reader, @connection, @log].each(&:close)
            end
          end

          # Closes the parent's files, in a child.
          def after_fork
            [@reader, @connection].each { |one| one&.discard }
            @log&.close
            reset
          end

          private

          def reset
            @open_lock = Thread::Mutex.new
            @read_lock = Thread::Mutex.new
            @writer = @reader = @connection = @log = nil
          end

          def retry_busy(&) = Driver.translate_errors(path) { Driver.retry_busy(@timeout, &) }

          def path = @address.path

          def opened
            writer = @writer || @open_lock.synchronize { @writer ||= open }
            yield writer
          rescue WriteAheadLog::Gone
            close(writer) # the next operation opens the present file
            raise
          end

          def open
            DatabaseFile.check(path)
            DatabaseFile.create(path)
            retry_busy do
              @connection = Connection.new(Driver.writer(path, @address.synchronous))
              prepare(@connection)
              @reader = Connection.new(Driver.reader(path))
              transaction = SharedTransaction.new(@connection, path, @timeout)
              @log = WriteAheadLog.new(path)
              opened = GroupCommit.new(transaction, @log,
                flushes: @address.synchronous == :full, &@notify)
            ensure
              [@reader, @connection].each { |one| one&.close } unless opened
            end
          end

          def prepare(db)
            db.run("BEGIN IMMEDIATE")
            SQL::Schema.create(db, version(db)) { |name| "#{Dialect::PREFIX}jobs_#{name}" }
            void_leases(db) unless db.rows(BOOT).dig(0, 0) == Uptime.boot
            check_version(SQL::Schema.version(db))
            db.run("COMMIT")
          end

          # Nil when there are no tables yet.
          def version(db)
            SQL::Schema.version(db) if db.rows(TABLES, "#{Dialect::PREFIX}counters").any?
          end

          # The machine has restarted, so its workers are gone. The next recovery takes their jobs.
          def void_leases(db)
            db.run("UPDATE {leases} SET ends_at = 0")
            db.run(SET_BOOT, Uptime.boot)
          end

          def check_version(version)
            return if version <= SQL::Schema::VERSION

            raise StoreRefused,
              "#{path} was made by a later version of Raffia (its tables are of version " \
              "#{version}, this one knows #{SQL::Schema::VERSION}): update the gem here"
          end
        end
      end
    end
  end
end
