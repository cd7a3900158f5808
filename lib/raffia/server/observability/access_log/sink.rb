# frozen_string_literal: true

module Raffia
  class Server
    module Observability
      class AccessLog
        # Appends lines to a file or an open stream. Errors are logged once and never raised: a full
        # disk must not stop the server.
        #
        # @api private
        class Sink
          # @param target [String, IO] the path of a file; "-" for standard output
          # @raise [SystemCallError] when the file cannot be opened
          def initialize(target, log:)
            @path = target unless target.is_a?(::IO) || target == "-"
            stream = (target == "-") ? $stdout : target
            # A copy, because the program's own output there is buffered.
            @io = @path ? open : stream.dup
            @log = log
            @error_class = nil
          end

          # Opens the file again by its name, after a log rotation. On failure the old one stays.
          def reopen
            return unless @path

            fresh = open
            @io.close
            @io = fresh
          rescue SystemCallError => error
            @log.error("the access log #{@path} cannot be opened again, so its old file stays in " \
              "use: #{error.message}")
          end

          # @return [Integer] bytes that were written
          def write(bytes)
            written = @io.syswrite(bytes)
            recover if @error_class
            written
          rescue SystemCallError, IOError => error
            report(error)
            0
          end

          def close = (@io.close if @path)

          private

          # Several workers append to the same file, and each write stays in one piece.
          def open = ::File.open(@path, ::File::WRONLY | ::File::APPEND | ::File::CREAT, 0o644)

          def report(error)
            if @error_class != error.class
              @log.error("the access log #{name} cannot be written: #{error.message}. Lines are " \
                "kept while there is room, then lost")
            end
            @error_class = error.class
          end

          def recover
            @log.warn("the access log #{name} can be written again")
            @error_class = nil
          end

          def name = @path || @io.inspect
        end
      end
    end
  end
end
