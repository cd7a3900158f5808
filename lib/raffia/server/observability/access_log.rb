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
      # A line for each request. Lines are gathered, and written together by a fiber of their own:
      # soon after the first one, or when there are many. So a request never waits for the disk, or
      # for who reads our output; when they do not keep up, lines are lost and counted. A worker
      # that ends in good order writes its last ones; one that is killed takes with it those of the
      # last moment.
      #
      # @api private
      class AccessLog
        # Seconds from the first line to the write.
        DELAY = 0.2
        # Bytes that are written without delay.
        MANY = 64 << 10
        # Bytes that are kept at most while they cannot be written.
        MOST = 4 << 20
        # Seconds between two attempts to write what could not be written.
        AGAIN = 1.0
        # Seconds that the end waits for.
        PATIENCE = 5
        FORMATS = {combined: CombinedFormat, json: JSONFormat}.freeze
        private_constant :AGAIN, :PATIENCE, :FORMATS

        # @return [Integer] lines that were lost
        attr_reader :lost

        # @param target [String, IO] as {Sink} takes it
        # @param format [Symbol] :combined or :json
        # @param log [Logger]
        # @yieldparam lines [Integer] that were lost just now
        # @raise [ConfigError] when the file cannot be opened
        def initialize(target, log:, format: :combined, most: MOST, &on_loss)
          @sink = Sink.new(target, log: log)
          @format = FORMATS.fetch(format).new
          @most = most
          @on_loss = on_loss
          @lines = String.new(capacity: MANY, encoding: Encoding::BINARY)
          @lost = 0
          @rest = nil
          @turn = Thread::Mutex.new
          @idle = @many = nil
        rescue SystemCallError => error
          raise ConfigError, "the access log #{target} cannot be opened: #{error.message}"
        end

        # @param entry [Entry]
        # @return [void]
        def add(entry)
          return lose if @lines.bytesize >= @most

          @format.write(@lines, entry)
          return @many&.settle if @lines.bytesize >= MANY

          @idle&.settle
        end

        # Writes what comes, for as long as it is not cancelled: for a fiber of its own.
        # @return [void]
        def run
          loop do
            wait_for_lines
            wait_for_more
            flush or Waiter.nap(AGAIN)
          end
        end

        # @return [Boolean] whether all has been written
        def flush = @turn.synchronize { write_all }

        # Writes the lines that are there to the old file, later ones to a new file of that name.
        # @return [void]
        def reopen
          @turn.synchronize do
            write_all
            @sink.reopen
          end
        end

        # Nothing is written from here on.
        # @return [void]
        def close
          Raffia.timeout(PATIENCE) { flush }
        rescue TimeoutError
          nil
        ensure
          lose(@rest.to_s.count("\n") + @lines.count("\n")) unless nothing?
          @sink.close
        end

        private

        def write_all
          until nothing?
            take unless @rest
            written = @sink.write(@rest)
            return false if written.zero?

            @rest = (written < @rest.bytesize) ? @rest.byteslice(written..) : nil
          end
          true
        end

        def nothing? = @rest.nil? && @lines.empty?

        def take
          @rest = @lines
          @lines = String.new(capacity: MANY, encoding: Encoding::BINARY)
        end

        def wait_for_lines
          return unless nothing?

          @idle = Waiter.new
          @idle.wait
        ensure
          @idle = nil
        end

        def wait_for_more
          return if @lines.bytesize >= MANY

          @many = Waiter.new
          @many.wait(DELAY)
        ensure
          @many = nil
        end

        def lose(lines = 1)
          @lost += lines
          @on_loss&.call(lines)
        end
      end
    end
  end
end
