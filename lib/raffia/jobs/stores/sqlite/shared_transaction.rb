# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # One transaction for many calls. When one of them fails all run again with savepoints, so
        # that only that one is undone.
        # @api private
        class SharedTransaction
          def initialize(connection, path, timeout)
            @connection = connection
            @path = path
            @timeout = timeout
          end

          # Each call gets its value or its error. {StoreUnavailable} means that nothing has been
          # done.
          def run(calls)
            Driver.translate_errors(@path) do
              start
              # Nothing in here waits, and nobody would finish half a group.
              Thread.handle_interrupt(Object => :never) do
                run_together(calls) or run_one_by_one(calls)
              end
            end
          end

          # Yields when jobs have been committed; again after an interrupt.
          def notify
            return unless @notifies

            yield
            @notifies = false
          end

          # Whether something was committed since the last flush.
          def unflushed? = @unflushed

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
            retry_busy { repair_log } if @doubtful
            retry_busy { @connection.run("BEGIN IMMEDIATE") }
            @before = @connection.total_changes
          end

          # Writes what the disk may lack of the log to the database, and flushes that.
          def repair_log
            busy, = @connection.rows("PRAGMA wal_checkpoint(TRUNCATE)").first
            if busy == 1
              raise StoreUnavailable, "#{@path}: the disk failed to keep the log, and the " \
                "database is in use: what was done last is not safe yet"
            end

            @doubtful = false
          end

          def retry_busy(&) = Driver.retry_busy(@timeout, &)

          def run_together(calls)
            calls.each { |call| call.value = call.block.call(@connection) }
            commit(calls)
            true
          rescue => error
            roll_back
            return false if calls.size > 1

            calls.first.error = translate(error)
          end

          def run_one_by_one(calls)
            start
            calls.each { |call| run_alone(call) }
            commit(calls.reject(&:error))
          rescue => error
            roll_back
            calls.each { |call| call.error ||= translate(error) }
          end

          def run_alone(call)
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

          # An error of its own for each caller.
          def translate(error)
            Driver.translate_errors(@path) { raise error }
          rescue => ours
            ours
          end
        end
      end
    end
  end
end
