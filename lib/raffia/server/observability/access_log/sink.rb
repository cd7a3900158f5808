# frozen_string_literal: true

module Raffia
  class Server
    module Observability
      class AccessLog
        # Where lines go: a file that is appended to, or a stream that was there before. What goes
        # wrong with it is told once, and never raised: a full disk must not end the serving.
        #
        # @api private
        class Sink
          # @param target [String, IO] the path of a file; "-" for standard output
          # @param log [Logger] for what goes wrong
          # @raise [SystemCallError] when the file cannot be opened
          def initialize(target, log:)
            @path = target unless target.is_a?(::IO) || target == "-"
            stream = (target == "-") ? $stdout : target
            # A copy, because what the program prints there has a buffer of its own.
            @io = @path ? open : stream.dup
            @log = log
            @trouble = nil
          end

          # Opens the file again, by its name: whoever rotates logs has moved the old one away. When
          # that fails the old one stays.
          # @return [void]
          def reopen
            return unless @path

            fresh = open
            @io.close
            @io = fresh
          rescue SystemCallError => error
            @log.error("the access log #{@path} cannot be opened again, so its old file stays in " \
              "use: #{error.message}")
          end

          # @param bytes [String]
          # @return [Integer] how many of them were written
          def write(bytes)
            written = @io.syswrite(bytes)
            recover if @trouble
            written
          rescue SystemCallError, IOError => error
            tell(error)
            0
          end

          # @return [void]
          def close
            @io.close if @path
          end

          private

          # Appending makes each write one piece, although several workers write to the same file.
          def open = ::File.open(@path, ::File::WRONLY | ::File::APPEND | ::File::CREAT, 0o644)

          def tell(error)
            if @trouble != error.class
              @log.error("the access log #{name} cannot be written: #{error.message}. Lines are " \
                "kept while there is room, then lost")
            end
            @trouble = error.class
          end

          def recover
            @log.warn("the access log #{name} can be written again")
            @trouble = nil
          end

          def name = @path || @io.inspect
        end
      end
    end
  end
end
