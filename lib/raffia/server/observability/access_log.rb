# frozen_string_literal: true

require_relative "../../base/error"
require_relative "../../task"
require_relative "access_log/combined_format"
require_relative "access_log/entry"
require_relative "access_log/json_format"
require_relative "access_log/sink"

module Raffia
  class Server
    module Observability
      # Writes a line for each request, in batches and from a fiber of its own.
      #
      # A request never waits for the disk or for a reader of the output. When they do not keep up,
      # lines are dropped and counted. A worker that is killed loses the lines of the last moment.
      #
      # @api private
      class AccessLog
        # Seconds from the first line to the write.
        DELAY = 0.2
        # Bytes that are written without delay.
        BATCH = 64 << 10
        # Bytes that are kept while they cannot be written.
        LIMIT = 4 << 20
        # Seconds between two attempts to write.
        RETRY_INTERVAL = 1.0
        # Seconds that {close} waits.
        CLOSE_TIMEOUT = 5
        FORMATS = {combined: CombinedFormat, json: JSONFormat}.freeze
        private_constant :RETRY_INTERVAL, :CLOSE_TIMEOUT, :FORMATS

        # @return [Integer] lines that were dropped
        attr_reader :lost

        # @param target [String, IO] as {Sink} takes it
        # @param format [Symbol] :combined or :json
        # @yieldparam lines [Integer] that were dropped just now
        # @raise [ConfigError] when the file cannot be opened
        def initialize(target, log:, format: :combined, limit: LIMIT, &on_loss)
          @sink = Sink.new(target, log: log)
          @format = FORMATS.fetch(format).new
          @limit = limit
          @on_loss = on_loss
          @lines = String.new(capacity: BATCH, encoding: Encoding::BINARY)
          @lost = 0
          @rest = nil
          @lock = Thread::Mutex.new
          @idle = @full = nil
        rescue SystemCallError => error
          raise ConfigError, "the access log #{target} cannot be opened: #{error.message}"
        end

        def add(entry)
          return drop if @lines.bytesize >= @limit

          @format.write(@lines, entry)
          return @full&.settle if @lines.bytesize >= BATCH

          @idle&.settle
        end

        # Writes batches until it is cancelled.
        def run
          loop do
            wait_for_lines
            wait_for_batch
            flush or Waiter.nap(RETRY_INTERVAL)
          end
        end

        # @return [Boolean] whether all has been written
        def flush = @lock.synchronize { write_all }

        # Writes the lines so far to the old file, later ones to a new file of that name.
        def reopen
          @lock.synchronize do
            write_all
            @sink.reopen
          end
        end

        # Writes the rest.
        def close
          Raffia.timeout(CLOSE_TIMEOUT) { flush }
        rescue TimeoutError
          nil
        ensure
          drop(@rest.to_s.count("\n") + @lines.count("\n")) unless empty?
          @sink.close
        end

        private

        def write_all
          until empty?
            take_batch unless @rest
            written = @sink.write(@rest)
            return false if written.zero?

            @rest = (written < @rest.bytesize) ? @rest.byteslice(written..) : nil
          end
          true
        end

        def empty? = @rest.nil? && @lines.empty?

        def take_batch
          @rest = @lines
          @lines = String.new(capacity: BATCH, encoding: Encoding::BINARY)
        end

        def wait_for_lines
          return unless empty?

          @idle = Waiter.new
          @idle.wait
        ensure
          @idle = nil
        end

        def wait_for_batch
          return if @lines.bytesize >= BATCH

          @full = Waiter.new
          @full.wait(DELAY)
        ensure
          @full = nil
        end

        def drop(lines = 1)
          @lost += lines
          @on_loss&.call(lines)
        end
      end
    end
  end
end
