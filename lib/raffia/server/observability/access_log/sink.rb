# frozen_string_literal: true

require_relative "../log_file"

module Raffia
  class Server
    module Observability
      class AccessLog
        # Appends lines to a file or stream. Logs an error once and never raises: a full disk must
        # not stop the server.
        #
        # @api private
        class Sink
          # `target`: a path, an IO, or "-" for standard output.
          def initialize(target, log:)
            @path = target unless target.is_a?(::IO) || target == "-"
            stream = (target == "-") ? $stdout : target
            # A copy, because the program's own output is buffered.
            @io = @path ? open : stream.dup
            @log = log
            @error_class = nil
          end

          # Opens the file by its name after a rotation. Keeps the old one on failure.
          def reopen
            return unless @path

            fresh = open
            @io.close
            @io = fresh
          rescue SystemCallError => error
            @log.error("the access log #{@path} cannot be opened again, so its old file stays in " \
              "use: #{error.message}")
          end

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

          def open = LogFile.append(@path)

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
