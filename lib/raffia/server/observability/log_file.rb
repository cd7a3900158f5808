# frozen_string_literal: true

module Raffia
  class Server
    module Observability
      # Where the server's own log goes when it goes to a file. Several processes append to it, each
      # line in one piece.
      #
      # @api private
      class LogFile
        # @param path [String]
        # @raise [ConfigError]
        def initialize(path)
          @path = path
          @file = open
        rescue SystemCallError => error
          raise ConfigError, "the log #{path} cannot be written: #{error.message}"
        end

        # As Logger calls its device.
        # @return [Integer]
        def write(text) = @file.syswrite(text)

        # Under the same name, since whoever rotates logs has moved the file away. When that fails
        # the old one stays.
        # @return [void]
        def reopen
          old = @file
          @file = open
          old.close
        rescue SystemCallError => error
          write("raffia: the log #{@path} cannot be opened again: #{error.message}\n")
        end

        # @return [void]
        def close = @file.close

        private

        def open = ::File.open(@path, ::File::WRONLY | ::File::APPEND | ::File::CREAT, 0o644)
      end
    end
  end
end
