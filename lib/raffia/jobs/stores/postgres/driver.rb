# frozen_string_literal: true

require_relative "../../../base/optional"
require_relative "failures"

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # One connection: the only file that knows the gem pg. Statements are not prepared, and
        # leave nothing in the session, so a pooler in transaction mode may switch it.
        # @api private
        class Driver
          # A process that is suspended in a transaction, or has lost its network, would keep its
          # locks for hours. No transaction here pauses for as long.
          START = "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '10s'"
          # The planner expects no rows in a queue that was empty at the last ANALYZE, and would
          # read and sort all that have come since. The index has them in order.
          BEGINNINGS = {
            durable: START, quick: "#{START}; SET LOCAL synchronous_commit = off",
            by_index: "#{START}; SET LOCAL enable_seqscan = off; " \
              "SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off"
          }.freeze

          LOCK = "SELECT pg_advisory_xact_lock(hashtextextended(name, $2)) " \
            "FROM unnest($1::text[]) AS name"

          def self.load = Optional.gem("pg", ">= 1.6", for: "the postgres store")

          def self.connect(address, dialect)
            raw = Failures.translate_errors(address) { PG.connect(address.conninfo) }
            raw.set_notice_processor {} # instead of stderr; what matters is an error, too
            new(raw, address, dialect, own: true)
          end

          def self.wrap(connection, address, dialect)
            raw = connection.respond_to?(:raw_connection) ? connection.raw_connection : connection
            return new(raw, address, dialect, own: false) if raw.is_a?(PG::Connection)

            raise ConfigError,
              "only a connection to PostgreSQL can have jobs in its transaction: pass a " \
              "PG::Connection, or Active Record's connection to PostgreSQL, not #{raw.class}"
          end

          def initialize(raw, address, dialect, own:)
            @raw = raw
            @address = address
            @dialect = dialect
            @own = own
            @plain = PG::TypeMapAllStrings.new
            @types = PG::TypeMapByOid.new
            {PG::BinaryDecoder::Integer => [20, 21, 23], PG::BinaryDecoder::Float => [700, 701],
             PG::BinaryDecoder::Boolean => [16],
             PG::BinaryDecoder::String => [17, 18, 19, 25, 1043]}.each do |decoder, oids|
              oids.each { |oid| @types.add_coder(decoder.new(oid: oid, format: 1)) }
            end
          end

          def rows(sql, *params)
            execute(sql, params).tap { |result| result.type_map = @types }.values
          end

          def run(sql, *params) = execute(sql, params).cmd_tuples

          # Whether it is the store's, and not an application's.
          def own? = @own

          def wake(queues)
            return if queues.empty?

            rows("SELECT pg_notify(name, '') FROM unnest($1::text[]) AS name",
              @dialect.channels(queues))
          end

          def lock(name) = lock_in_order([name])

          # Locks in another order would end in a deadlock, which takes the server a second to find.
          def lock_in_order(names) = rows(LOCK, names.sort, @dialect.seed)

          def numbers(count)
            rows("SELECT nextval('{numbers}') FROM generate_series(1, $1::int)", count).flatten
          end

          # `kind` is :durable, :quick (does not wait for the disk), or :by_index (see
          # {BEGINNINGS}).
          def transaction(kind = :durable, &)
            all_or_nothing(BEGINNINGS.fetch(kind), "COMMIT", "ROLLBACK", &)
          end

          def savepoint(&)
            all_or_nothing("SAVEPOINT raffia", "RELEASE SAVEPOINT raffia",
              "ROLLBACK TO SAVEPOINT raffia", &)
          end

          def inside? = @raw.transaction_status != PG::PQTRANS_IDLE

          # Whether it is idle, and the server has not announced its end.
          def usable?
            @raw.status == PG::CONNECTION_OK && !inside? && !io.wait_readable(0)
          rescue PG::Error, IOError
            false
          end

          alias_method :reusable?, :usable?

          # Whether no pooler stands between.
          def direct? = rows("SELECT pg_backend_pid()")[0][0] == @raw.backend_pid

          def listen(names) = names.each { |name| run_script("LISTEN #{@raw.quote_ident(name)}") }

          # Channels with notifications since the last call.
          def notifications
            Failures.translate_errors(@address) { @raw.consume_input }
            channels = []
            while (notification = @raw.notifies) do channels << notification[:relname] end
            channels
          end

          # Readable when there are {#notifications}.
          def io = @raw.socket_io

          def close
            @raw.finish
          rescue PG::Error
            nil # it is closed already
          end

          # A child must not close the parent's connection at the server.
          def disown
            io.reopen(File::NULL)
          rescue PG::Error, SystemCallError, IOError
            nil
          end

          private

          def run_script(statements) = Failures.translate_errors(@address) { @raw.exec(statements) }

          def execute(sql, params)
            Failures.translate_errors(@address) do
              @raw.exec_params(@dialect.text(sql), params.map { |value| encode(value) }, 1, @plain)
            end
          end

          # Strings go in the binary format and without a type, so they serve as text and as bytes.
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

          # Undoes also when a fiber is cancelled.
          def all_or_nothing(start, finish, undo)
            run_script(start)
            value = yield
            run_script(finish)
            done = true
            value
          ensure
            undo(undo) unless done
          end

          # A connection that fails here is closed later.
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
