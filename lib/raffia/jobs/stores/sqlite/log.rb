# frozen_string_literal: true

require_relative "../../../run"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # The write-ahead log as a file to be flushed. It is what synchronous=FULL does after each commit, but here one flush serves many, and
        # Ruby's lock is free meanwhile. (Of the database itself no other handle may ever be opened: closing one drops SQLite's locks.)
        # @api private
        class Log
          # @return [String]
          attr_reader :path

          # @param path [String] of the database
          def initialize(path)
            @path = "#{path}-wal"
          end

          # @return [void] when all that was committed is on disk
          # @raise [SystemCallError]
          def flush
            file = @file ||= File.open(@path)
            Fiber.current_scheduler ? Raffia.offload { file.fdatasync } : file.fdatasync
          end

          def close = @file&.close
        end
      end
    end
  end
end
