# frozen_string_literal: true

module Raffia
  class Server
    module Observability
      # The file of the server's own log. Several processes append to it, each line in one piece.
      #
      # @api private
      class LogFile
        # Each write stays in one piece, though several workers append to the file.
        def self.append(path)
          ::File.open(path, ::File::WRONLY | ::File::APPEND | ::File::CREAT, 0o644)
        end

        def initialize(path)
          @path = path
          @file = open
        rescue SystemCallError => error
          raise ConfigError, "the log #{path} cannot be written: #{error.message}"
        end

        def write(text) = @file.syswrite(text)

        # Opens the file again by its name, after a log rotation. On failure the old one stays.
        def reopen
          old = @file
          @file = open
          old.close
        rescue SystemCallError => error
          write("raffia: the log #{@path} cannot be opened again: #{error.message}\n")
        end

        def close = @file.close

        private

        def open = LogFile.append(@path)
      end
    end
  end
end
