# frozen_string_literal: true

require_relative "../../../base/optional"
require_relative "failures"

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # One connection: the only file that knows the gem pg, whose calls suspend fibers.
        # Statements are not prepared, and leave nothing in the session, so a pooler in transaction
        # mode may switch it.
        # @api private
        class Driver
          # A process that is suspended in the middle of a transaction, or has lost its network,
          # would keep its locks for hours, and block the recovery of its jobs. No transaction here
          # pauses for as long.
          START = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '10s'"
          # For a queue that was empty at the last ANALYZE the planner expects no rows, and would
          # read and sort all that have come since. The index has them in order.
          BEGINNINGS = {
            durable: START, quick: "#{START}; SET LOCAL synchronous_commit = off",
            by_index: "#{START}; SET LOCAL enable_seqscan = off; " \
              "SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off"
          }.freeze
          private_constant :START, :BEGINNINGS

          # @raise [MissingDependency]
          def self.load = Optional.gem("pg", ">= 1.6", for: "the postgres store")

          # @param address [Address]
          # @return [Driver]
          # @raise [StoreUnavailable]
          def self.connect(address, dialect)
            raw = Failures.translating(address) { PG.connect(address.conninfo) }
            raw.set_notice_processor {} # instead of stderr; what matters is an error, too
            new(raw, address, dialect)
          end

          # @param connection [PG::Connection, #raw_connection] the latter is Active Record's
          # @return [Driver] on the application's connection
          # @raise [ConfigError]
          def self.over(connection, address, dialect)
            raw = connection.respond_to?(:raw_connection) ? connection.raw_connection : connection
            return new(raw, address, dialect) if raw.is_a?(PG::Connection)

            raise ConfigError,
              "jobs go along with a transaction of PostgreSQL's only: hand over a " \
              "PG::Connection, or Active Record's connection to PostgreSQL, not #{raw.class}"
          end

          def initialize(raw, address, dialect)
            @raw = raw
            @address = address
            @dialect = dialect
            @plain = PG::TypeMapAllStrings.new
            @types = PG::TypeMapByOid.new
            {PG::BinaryDecoder::Integer => [20, 21, 23], PG::BinaryDecoder::Float => [700, 701],
             PG::BinaryDecoder::Boolean => [16],
             PG::BinaryDecoder::String => [17, 18, 19, 25, 1043]}.each do |decoder, oids|
              oids.each { |oid| @types.add_coder(decoder.new(oid: oid, format: 1)) }
            end
          end

          # @param sql [String] in words of the {Dialect}
          # @return [Array<Array>]
          def rows(sql, *params)
            execute(sql, params).tap { |result| result.type_map = @types }.values
          end

          # @return [Integer] number of rows changed
          def run(sql, *params) = execute(sql, params).cmd_tuples

          # Notifies waits for these queues at the commit, once each.
          def wake(queues)
            return if queues.empty?

            rows("SELECT pg_notify(name, '') FROM unnest($1::text[]) AS name",
              @dialect.channels(queues))
          end

          # Holds the lock until the transaction ends.
          def lock(name)
            rows("SELECT pg_advisory_xact_lock(hashtextextended($1, $2))", name, @dialect.seed)
          end

          # @return [Array<Integer>] new ones, each higher than all before
          def numbers(count)
            rows("SELECT nextval('{numbers}') FROM generate_series(1, $1::int)", count).flatten
          end

          # All of the block or nothing.
          # @param kind [Symbol] :durable; :quick does not wait for the disk; :by_index leaves the
          #   planner no choice, see {BEGINNINGS}
          def transaction(kind = :durable, &)
            all_or_nothing(BEGINNINGS.fetch(kind), "COMMIT", "ROLLBACK", &)
          end

          # As {#transaction}, within another one.
          def savepoint(&)
            all_or_nothing("SAVEPOINT raffia", "RELEASE SAVEPOINT raffia",
              "ROLLBACK TO SAVEPOINT raffia", &)
          end

          def inside? = @raw.transaction_status != PG::PQTRANS_IDLE

          # @return [Boolean] whether it can be lent again: it is in the middle of nothing, and no
          #   unexpected data has come, by which a server announces its end
          def usable?
            @raw.status == PG::CONNECTION_OK && !inside? && !io.wait_readable(0)
          rescue PG::Error, IOError
            false
          end

          # @return [Boolean] whether no pooler stands between
          def direct? = rows("SELECT pg_backend_pid()")[0][0] == @raw.backend_pid

          def listen(names) = names.each { |name| order("LISTEN #{@raw.quote_ident(name)}") }

          # @return [Array<String>] channels with notifications since the last time
          def notifications
            Failures.translating(@address) { @raw.consume_input }
            channels = []
            while (notification = @raw.notifies) do channels << notification[:relname] end
            channels
          end

          # @return [IO] readable when there are {#notifications}
          def io = @raw.socket_io

          def close
            @raw.finish
          rescue PG::Error
            nil # it is closed already
          end

          # Cuts a child off the parent's connection, so that it cannot close that at the server.
          def disown
            io.reopen(File::NULL)
          rescue PG::Error, SystemCallError, IOError
            nil
          end

          private

          def order(statements) = Failures.translating(@address) { @raw.exec(statements) }

          def execute(sql, params)
            Failures.translating(@address) do
              @raw.exec_params(@dialect.text(sql), params.map { |value| encode(value) }, 1, @plain)
            end
          end

          # Strings go as they are, in the binary format and without a type, which the server takes
          # for text and for bytes.
          def encode(value)
            case value
            when String then {value: value, type: 0, format: 1}
            when Array then list(value)
            else value
            end
          end

          # Strings with the encoding BINARY are bytes.
          def list(values)
            unless values.first.is_a?(String) && values.first.encoding == Encoding::BINARY
              return PG::TextEncoder::Array.new.encode(values)
            end

            {value: PG::BinaryEncoder::Array.new(
              elements_type: PG::BinaryEncoder::Bytea.new(oid: 17)
            ).encode(values), type: 1001, format: 1}
          end

          # Also when a fiber is cancelled in the middle of it.
          def all_or_nothing(start, finish, undo)
            order(start)
            value = yield
            order(finish)
            done = true
            value
          ensure
            undo(undo) unless done
          end

          # A connection that fails here is closed by the pool.
          def undo(statement)
            if @raw.transaction_status.between?(PG::PQTRANS_INTRANS, PG::PQTRANS_INERROR)
              @raw.exec(statement)
            end
          rescue PG::Error
            nil
          end
        end
      end
    end
  end
end
