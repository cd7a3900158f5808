# frozen_string_literal: true

require_relative "connection"
require_relative "driver"
require_relative "log"
require_relative "patience"
require_relative "place"
require_relative "uptime"
require_relative "writer"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # The database as this process has it open: one connection that writes, and one that reads.
        # Opened when it is first needed, so that a store can be named before a fork.
        # @api private
        class Base
          # @param address [Address]
          # @param timeout [Numeric] seconds
          # @yield when there are jobs for who waits
          def initialize(address, timeout, &ring)
            @address = address
            @timeout = timeout
            @ring = ring
            @opening = Thread::Mutex.new
            @reading = Thread::Mutex.new
          end

          # See {Writer#call}.
          # @raise [StoreUnavailable]
          def write(durable:, &) = opened { |writer| writer.call(durable, &) }

          # @yieldparam db [Connection] that sees one state of all
          # @return [Object] the block's value
          # @raise [StoreUnavailable]
          def read
            opened do
              @reading.synchronize do
                @log.assure
                patiently do
                  @reader.run("BEGIN")
                  yield @reader
                ensure
                  @reader.run("ROLLBACK") if @reader.transaction?
                end
              end
            end
          end

          # @return [Array<String>] what SQLite finds wrong
          def integrity
            read { |db| db.rows("PRAGMA integrity_check") }.flatten.reject { |line| line == "ok" }
          end

          # @param writer [Writer, nil] unless another one has taken its place by now
          # @return [void]
          def close(writer = @writer)
            @opening.synchronize do
              next unless @writer&.equal?(writer)

              @writer = nil
              [@reader, @connection, @log].each(&:close)
            end
          end

          # In a child: lets go of what is the parent's.
          def discard
            [@reader, @connection].each { |one| one&.discard }
            @log&.close
          end

          private

          # @raise [StoreUnavailable]
          def patiently(&) = Driver.guard(path) { Patience.wait(@timeout, &) }

          def path = @address.path

          # @yieldparam writer [Writer]
          def opened
            writer = @writer || @opening.synchronize { @writer ||= set_up }
            yield writer
          rescue Log::Gone
            close(writer) # the next call opens what is there then
            raise
          end

          # @return [Writer]
          def set_up
            Place.check(path)
            Place.create(path)
            patiently do
              @connection = Connection.new(Driver.writer(path, @address.synchronous))
              prepare(@connection)
              @reader = Connection.new(Driver.reader(path))
              transaction = Writer::Transaction.new(@connection, path, @timeout)
              opened = Writer.new(transaction, @log = Log.new(path),
                flushes: @address.synchronous == :full, &@ring)
            ensure
              [@reader, @connection].each { |one| one&.close } unless opened
            end
          end

          def prepare(db)
            db.run("BEGIN IMMEDIATE")
            create(db)
            db.run("COMMIT")
          end

          # @raise [StoreUnavailable]
          def create(db)
            SQL::Schema.create(db) { |name| "#{Dialect::PREFIX}jobs_#{name}" }
            version = SQL::Schema.version(db)
            unless db.rows("SELECT value FROM {counters} WHERE name = 'boot'")
                .dig(0, 0) == Uptime.boot
              end_leases(db)
            end
            return if version <= SQL::Schema::VERSION

            raise StoreRefused,
              "#{path} was made by a later version of Raffia (its tables are of version " \
              "#{version}, " \
              "this one knows #{SQL::Schema::VERSION}): update the gem here"
          end

          # The machine was started anew since: their workers are no more. The next recovery removes
          # them, as those of any dead worker.
          def end_leases(db)
            db.run("UPDATE {leases} SET ends_at = 0")
            db.run("INSERT INTO {counters} (name, value) VALUES ('boot', $1) ON CONFLICT (name) " \
              "DO UPDATE SET value = excluded.value", Uptime.boot)
          end
        end
      end
    end
  end
end
