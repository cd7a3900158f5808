# frozen_string_literal: true

require_relative "../patience"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        class Writer
          # Calls in one transaction. When one of them fails all are done again, each with a
          # savepoint, so that only that one is undone.
          # @api private
          class Transaction
            # @param connection [Connection]
            # @param path [String] for messages
            # @param timeout [Numeric] seconds that another process may hold the database
            def initialize(connection, path, timeout)
              @connection = connection
              @path = path
              @timeout = timeout
            end

            # @param calls [Array<Call>]
            # @return [void] each has its value or its error
            # @raise [StoreUnavailable] nothing has been done
            def run(calls)
              Driver.guard(@path) do
                start
                # Nothing in here waits, and a half-done group would be nobody's.
                Thread.handle_interrupt(Object => :never) { together(calls) or one_by_one(calls) }
              end
            end

            # @return [void]
            # @yield when there are jobs for who waits since it did last; it is done again if it was
            #   interrupted
            def ring
              return unless @rings

              yield
              @rings = false
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

            # What the disk may lack of the log is written to the database instead, which is flushed
            # then.
            def settle
              busy, = @connection.rows("PRAGMA wal_checkpoint(TRUNCATE)").first
              if busy == 1
                raise StoreUnavailable, "#{@path}: the disk failed to keep the log, and the " \
                  "database is in use: what was done last is not safe yet"
              end

              @doubtful = false
            end

            def patiently(&) = Patience.wait(@timeout, &)

            def together(calls)
              calls.each { |call| call.value = call.block.call(@connection) }
              commit(calls)
              true
            rescue => error
              roll_back
              return false if calls.size > 1

              calls.first.error = in_our_words(error)
            end

            def one_by_one(calls)
              start
              calls.each { |call| alone(call) }
              commit(calls.reject(&:error))
            rescue => error
              roll_back
              calls.each { |call| call.error ||= in_our_words(error) }
            end

            def alone(call)
              @connection.run("SAVEPOINT one")
              call.value = call.block.call(@connection)
              @connection.run("RELEASE one")
            rescue => error
              # SQLite itself may have given up all of it.
              raise unless @connection.transaction?

              call.error = in_our_words(error)
              @connection.run("ROLLBACK TO one")
              @connection.run("RELEASE one")
            end

            def commit(calls)
              @connection.run("COMMIT")
              calls.each { |call| call.committed = true }
              @unflushed ||= @connection.total_changes != @before
              @rings ||= @connection.wakes # a leader that was interrupted may not have rung
              @connection.wakes = false
            end

            def roll_back
              @connection.wakes = false
              @connection.run("ROLLBACK") if @connection.transaction?
            end

            # One error for each call, because each is raised to another caller.
            def in_our_words(error)
              Driver.guard(@path) { raise error }
            rescue => ours
              ours
            end
          end
        end
      end
    end
  end
end
