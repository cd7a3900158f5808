# frozen_string_literal: true

require_relative "../../../base/optional"
require_relative "../../error"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # The one file that knows the gem sqlite3.
        #
        # The gem keeps Ruby's lock while SQLite works, so nothing here waits in SQLite. Other
        # processes are waited for by {BusyRetry} instead of a busy timeout. With synchronous=NORMAL
        # a commit does not flush; {WriteAheadLog} does.
        # @api private
        module Driver
          # Earlier versions may corrupt a database with several writers:
          # https://sqlite.org/wal.html#walresetbug
          GEM = ">= 2.9.2"
          FIXED = "3.51.3"
          # Frames of the log after which a commit moves them to the database. Only then SQLite
          # flushes with Ruby's lock held.
          CHECKPOINT = 2000
          # Bytes of the log's file that stay allocated after a burst.
          LOG_SIZE = 64 * 1024 * 1024

          module_function

          # @raise [MissingDependency]
          def load
            Optional.gem("sqlite3", GEM, for: "the sqlite store")
            text = warning and warn("raffia: #{text}")
          end

          # @return [String, nil] about SQLite's version: the gem may be built on the system's
          def warning(version = ::SQLite3::SQLITE_LOADED_VERSION)
            return if ::Gem::Version.new(version) >= ::Gem::Version.new(FIXED)

            "SQLite #{version} may corrupt a database that several processes write " \
            "(sqlite.org/wal.html#walresetbug): use #{FIXED} or later, as the gem sqlite3 #{GEM} " \
            "has it, when it is not built with --enable-system-libraries"
          end

          # @return [::SQLite3::Database] for the writer
          def writer(path, synchronous)
            database = connect(path)
            switch_to_log(database, path)
            database.execute("PRAGMA synchronous = #{(synchronous == :off) ? "OFF" : "NORMAL"}")
            database.execute("PRAGMA wal_autocheckpoint = #{CHECKPOINT}")
            database.execute("PRAGMA journal_size_limit = #{LOG_SIZE}")
            database
          end

          # @return [::SQLite3::Database] that refuses to write. (A child could not close one that
          #   is opened read-only.)
          def reader(path)
            database = connect(path)
            database.execute("PRAGMA query_only = ON")
            database
          end

          def connect(path)
            database = ::SQLite3::Database.new(path)
            # The gem's own hook closes what a child inherits, and warns of it, unless it is for
            # reading; {Database#after_fork} does it without a word.
            database.define_singleton_method(:readonly?) { true }
            database
          end

          # @raise [StoreRefused] where there is no shared memory, such as on a network's file
          #   system
          def switch_to_log(database, path)
            mode = database.execute("PRAGMA journal_mode = WAL").dig(0, 0)
            unless mode == "wal"
              raise StoreRefused, "#{path}: SQLite cannot keep a write-ahead log here " \
                "(journal_mode is #{mode})"
            end
          end

          # Runs the block, and translates its errors.
          # @raise [StoreUnavailable]
          def guard(path)
            yield
          rescue ::SQLite3::Exception => error
            kind = refused?(error) ? StoreRefused : StoreUnavailable
            raise kind, "#{path}: #{advice(error)} (#{error.class.name.split("::").last}: " \
              "#{error.message})"
          rescue SystemCallError, IOError => error
            raise StoreUnavailable, "#{path}: #{error.message}"
          end

          def advice(error)
            case error
            when ::SQLite3::FullException
              "there is no room left on the disk; nothing of this call was kept"
            when ::SQLite3::ReadOnlyException
              "the file, or the directory that it is in, cannot be written"
            when ::SQLite3::CantOpenException
              "the file cannot be opened: are its directory there, and its permissions right?"
            when ::SQLite3::BusyException, ::SQLite3::LockedException
              "another process keeps the database locked"
            when ::SQLite3::CorruptException, ::SQLite3::NotADatabaseException
              "the file is damaged, or is no SQLite database"
            when ::SQLite3::IOException then "the disk cannot be read or written"
            else "SQLite refuses"
            end
          end

          def refused?(error)
            [::SQLite3::CantOpenException, ::SQLite3::NotADatabaseException].any? do |kind|
              error.is_a?(kind)
            end
          end

          def busy?(error) = error.is_a?(::SQLite3::BusyException)

          # @return [Class] what {Connection} rescues
          def error = ::SQLite3::Exception
        end
      end
    end
  end
end
