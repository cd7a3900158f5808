# frozen_string_literal: true

require_relative "../../../base/clock"
require_relative "failures"
require_relative "literal"
require_relative "number_source"
require_relative "session"

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # One connection by the gem trilogy.
        # @api private
        class Driver
          # Seconds after which an idle connection is tried out before it is used.
          IDLE = 0.05
          # Errors after which the server has closed the connection.
          CLOSED = [1152, 1927, 4031].freeze

          def self.load = Session.load

          # The block is called after commits with jobs.
          def self.connect(address, dialect, &notify)
            new(Session.open(address), address, dialect, own: true, &notify)
          end

          def self.wrap(connection, address, dialect)
            raw = connection.respond_to?(:raw_connection) ? connection.raw_connection : connection
            return new(raw, address, dialect, own: false) if raw.is_a?(Trilogy)

            raise ConfigError,
              "only a connection to MySQL or MariaDB by the gem trilogy can have jobs in its " \
              "transaction: pass a Trilogy, or Active Record's connection (adapter: trilogy), " \
              "not #{raw.class}"
          end

          def initialize(raw, address, dialect, own:, &notify)
            @raw = raw
            @address = address
            @dialect = dialect
            @own = own
            @notify = notify
            @numbers = NumberSource.new(self)
            @used_at = Clock.now
            @wakes = @began = @busy = false
          end

          def rows(sql, *params) = @dialect.statement(sql).rows(self, params)

          def run(sql, *params) = @dialect.statement(sql).run(self, params)

          # For statements.
          def literal(value) = Literal.of(value, @raw)

          # Rows of a statement. Also bytes are UTF-8, as payloads are.
          def query(text)
            execute(text).rows.each do |row|
              row.each { |value| value.force_encoding(Encoding::UTF_8) if value.is_a?(String) }
            end
          end

          # The number of rows that it changed.
          def change(text)
            execute(text)
            @raw.affected_rows
          end

          # Whether it is the store's, and not an application's.
          def own? = @own

          def last_id = @raw.last_insert_id

          def wake(queues)
            @wakes ||= queues.any?
          end

          def lock(name) = lock_in_order([name])

          def lock_in_order(names)
            rows("SELECT id FROM {locks} WHERE id {ids $1} {lock}", @dialect.slots(names))
          end

          def numbers(count) = @numbers.take(count)

          def transaction(_kind = :durable)
            begin_later
            value = yield
            commit
            done = true
            value
          ensure
            undo("ROLLBACK") unless done
          end

          def savepoint
            change("SAVEPOINT raffia")
            value = yield
            change("RELEASE SAVEPOINT raffia")
            done = true
            value
          ensure
            undo("ROLLBACK TO SAVEPOINT raffia") unless done
          end

          def inside? = @raw.in_transaction?

          # Whether it waits for a statement, outside of transactions.
          def reusable? = !@busy && !@raw.closed? && !inside?

          def usable?
            return false unless reusable?
            return true if Clock.now - @used_at < IDLE

            guard { @raw.ping }
            true
          rescue StoreUnavailable
            false
          end

          def close
            return @raw.discard! if @busy || inside?

            @raw.close
          rescue Trilogy::Error
            nil # it is closed already
          end

          # A child must not close the parent's connection at the server.
          def disown
            @raw.discard!
          rescue Trilogy::Error
            nil
          end

          private

          # BEGIN goes with the first statement, where a connection takes two.
          def begin_later
            @wakes = false
            @own ? @began = true : change("BEGIN")
          end

          def commit
            change("COMMIT") unless @began
            @began = false
            @notify&.call if @wakes
          end

          # A connection that fails here is closed later.
          def undo(statement)
            @began = false
            change(statement) if inside? && !@busy && !@raw.closed?
          rescue StoreUnavailable
            nil
          end

          def execute(text)
            return guard { @raw.query(text) } unless @began

            @began = false
            guard do
              @raw.query("BEGIN; ".b << text)
              @raw.next_result
            end
          end

          # A fiber that is cancelled leaves the connection busy.
          def guard
            Failures.translate_errors(@address) do
              if @busy
                raise Trilogy::ConnectionClosed, "the connection is in the middle of a statement"
              end

              @busy = true
              value = yield
              @busy = false
              @used_at = Clock.now
              value
            rescue Trilogy::Error => error
              @busy = !answered?(error)
              raise
            end
          end

          # Whether the server has refused a statement, and waits for the next.
          def answered?(error)
            error.error_code && !CLOSED.include?(error.error_code)
          end
        end
      end
    end
  end
end
