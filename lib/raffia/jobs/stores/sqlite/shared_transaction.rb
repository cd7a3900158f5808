# frozen_string_literal: true

require_relative "busy_retry"
require_relative "driver"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # One transaction for many calls. When one of them fails all run again, each with a
        # savepoint, so that only that one is undone.
        # @api private
        class SharedTransaction
          # @param connection [Connection]
          # @param path [String] for messages
          # @param timeout [Numeric] seconds that another process may hold the database
          def initialize(connection, path, timeout)
            @connection = connection
            @path = path
            @timeout = timeout
          end

          # @param calls [Array<GroupCommit::Call>]
          # @return [void] each has its value or its error
          # @raise [StoreUnavailable] nothing has been done
          def run(calls)
            Driver.guard(@path) do
              start
              # Nothing in here waits, and nobody would finish half a group.
              Thread.handle_interrupt(Object => :never) { together(calls) or one_by_one(calls) }
            end
          end

          # @yield when jobs have been committed since the last time; again, if it was interrupted
          def notify
            return unless @notifies

            yield
            @notifies = false
          end

          # @return [Boolean] whether something has been committed since the last flush
          def unflushed? = @unflushed

          # @yield flushes the log
          def flushing
            yield
            @unflushed = false
          rescue StoreUnavailable
            @doubtful = true
            raise
          end

          private

          def start
            @connection.run("ROLLBACK") if @connection.transaction?
            patiently { settle } if @doubtful
            patiently { @connection.run("BEGIN IMMEDIATE") }
            @before = @connection.total_changes
          end

          # Writes what the disk may lack of the log to the database, and flushes that.
          def settle
            busy, = @connection.rows("PRAGMA wal_checkpoint(TRUNCATE)").first
            if busy == 1
              raise StoreUnavailable, "#{@path}: the disk failed to keep the log, and the " \
                "database is in use: what was done last is not safe yet"
            end

            @doubtful = false
          end

          def patiently(&) = BusyRetry.call(@timeout, &)

          def together(calls)
            calls.each { |call| call.value = call.block.call(@connection) }
            commit(calls)
            true
          rescue => error
            roll_back
            return false if calls.size > 1

            calls.first.error = translate(error)
          end

          def one_by_one(calls)
            start
            calls.each { |call| alone(call) }
            commit(calls.reject(&:error))
          rescue => error
            roll_back
            calls.each { |call| call.error ||= translate(error) }
          end

          def alone(call)
            @connection.run("SAVEPOINT one")
            call.value = call.block.call(@connection)
            @connection.run("RELEASE one")
          rescue => error
            # SQLite itself may have rolled everything back.
            raise unless @connection.transaction?

            call.error = translate(error)
            @connection.run("ROLLBACK TO one")
            @connection.run("RELEASE one")
          end

          def commit(calls)
            @connection.run("COMMIT")
            calls.each { |call| call.committed = true }
            @unflushed ||= @connection.total_changes != @before
            @notifies ||= @connection.wakes # an interrupted leader may not have notified
            @connection.wakes = false
          end

          def roll_back
            @connection.wakes = false
            @connection.run("ROLLBACK") if @connection.transaction?
          end

          # One error for each call, because each is raised to another caller.
          def translate(error)
            Driver.guard(@path) { raise error }
          rescue => ours
            ours
          end
        end
      end
    end
  end
end
