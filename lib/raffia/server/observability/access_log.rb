# frozen_string_literal: true

require_relative "../http/request_id"
require_relative "access_log/combined_format"
require_relative "access_log/entry"
require_relative "access_log/json_format"
require_relative "access_log/sink"

module Raffia
  class Server
    module Observability
      # Writes a line per request, in batches, from its own fiber.
      #
      # Requests never wait for the disk or a reader. Lines beyond the limit are dropped and
      # counted. A killed worker loses the lines of the last moment.
      #
      # @api private
      class AccessLog
        # Seconds from the first line to the write.
        DELAY = 0.2
        # Bytes that are written at once.
        BATCH = 64 << 10
        # Bytes kept while they cannot be written.
        LIMIT = 4 << 20
        # Seconds between two attempts to write.
        RETRY_INTERVAL = 1.0
        CLOSE_TIMEOUT = 5
        FORMATS = {combined: CombinedFormat, json: JSONFormat}.freeze
        private_constant :RETRY_INTERVAL, :CLOSE_TIMEOUT, :FORMATS

        attr_reader :lost

        # `format`: :combined or :json. The block gets the number of lines that were just dropped.
        # Raises ConfigError when the file cannot be opened.
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

        # Durations are in microseconds; a negative `queued` is not known.
        def record(env, status, sent, duration, queued)
          add(Entry.new(env, HTTP::RequestId.of(env), status, sent, duration, queued))
        end

        def add(entry)
          return drop if @lines.bytesize >= @limit

          @format.write(@lines, entry)
          return @full&.settle if @lines.bytesize >= BATCH

          @idle&.settle
        end

        def run
          loop do
            wait_for_lines
            wait_for_batch
            flush or Waiter.nap(RETRY_INTERVAL)
          end
        end

        # Returns whether all has been written.
        def flush = @lock.synchronize { write_all }

        # Lines so far go to the old file, later ones to a new file of that name.
        def reopen
          @lock.synchronize do
            write_all
            @sink.reopen
          end
        end

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
