# frozen_string_literal: true

require_relative "../../../run"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # The write-ahead log as a file to flush. SQLite would flush it after each commit; here one
        # flush serves many, and Ruby's lock is free meanwhile. Never open another handle of the
        # database itself: closing it drops SQLite's locks.
        # @api private
        class WriteAheadLog
          # The open file is not the one at its path.
          class Gone < StoreUnavailable
          end

          attr_reader :path

          def initialize(database)
            @database = database
            @path = "#{database}-wal"
            @inode = File.stat(database).ino
          end

          def flush
            file = @file ||= File.open(@path)
            Fiber.current_scheduler ? Raffia.offload { file.fdatasync } : file.fdatasync
            check_identity
          end

          # An open file can be removed, and goes on accepting writes.
          def check_identity
            return if found?

            raise Gone,
              "#{@database} was removed or replaced while it was open: the last changes are in " \
              "the removed file"
          end

          def close = @file&.close

          private

          def found?
            File.stat(@database).ino == @inode && (@file.nil? || File.identical?(@path, @file))
          rescue Errno::ENOENT
            false
          end
        end
      end
    end
  end
end
