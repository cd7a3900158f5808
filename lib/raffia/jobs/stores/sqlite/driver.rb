# frozen_string_literal: true

require_relative "../../../base/clock"
require_relative "../../../base/optional"

module Raffia
  module Jobs
    module Stores
      class SQLite < SQL
        # The one file that knows the gem sqlite3.
        #
        # The gem keeps Ruby's lock while SQLite works, so nothing here waits in SQLite.
        # {retry_busy} replaces its busy timeout. With synchronous=NORMAL a commit does not flush;
        # {WriteAheadLog} does.
        # @api private
        module Driver
          # Earlier ones may corrupt a database: https://sqlite.org/wal.html#walresetbug
          GEM = ">= 2.9.2"
          FIXED = "3.51.3"
          # Frames of the log before a commit moves them to the database, with Ruby's lock held.
          CHECKPOINT = 2000
          # Bytes of the log's file that stay allocated after a burst.
          LOG_SIZE = 64 * 1024 * 1024
          # Seconds between tries. Most locks are held for less than a millisecond.
          PAUSES = (0.0002..0.01)

          module_function

          def load
            Optional.gem("sqlite3", GEM, for: "the sqlite store")
            text = warning and warn("raffia: #{text}")
          end

          # The gem may be built on the system's SQLite.
          def warning(version = ::SQLite3::SQLITE_LOADED_VERSION)
            return if ::Gem::Version.new(version) >= ::Gem::Version.new(FIXED)

            "SQLite #{version} may corrupt a database that several processes write " \
            "(sqlite.org/wal.html#walresetbug): use #{FIXED} or later, as the gem sqlite3 #{GEM} " \
            "has it, when it is not built with --enable-system-libraries"
          end

          def writer(path, synchronous)
            database = connect(path)
            switch_to_log(database, path)
            database.execute("PRAGMA synchronous = #{(synchronous == :off) ? "OFF" : "NORMAL"}")
            database.execute("PRAGMA wal_autocheckpoint = #{CHECKPOINT}")
            database.execute("PRAGMA journal_size_limit = #{LOG_SIZE}")
            database
          end

          # Refuses to write. A child could not close a read-only database.
          def reader(path)
            connect(path).tap { |database| database.execute("PRAGMA query_only = ON") }
          end

          def connect(path)
            database = ::SQLite3::Database.new(path)
            # The gem's own hook closes what a child inherits, and warns of it, unless it is for
            # reading. {Database#after_fork} does it without a warning.
            database.define_singleton_method(:readonly?) { true }
            database
          end

          def switch_to_log(database, path)
            mode = database.execute("PRAGMA journal_mode = WAL").dig(0, 0)
            return if mode == "wal"

            raise StoreRefused, "#{path}: SQLite cannot keep a write-ahead log here " \
              "(journal_mode is #{mode})"
          end

          # Repeats the block for so many seconds while another handle has the database locked.
          # SQLite itself would wait with Ruby's lock held, so another thread could not release it.
          def retry_busy(timeout)
            pause = PAUSES.begin
            begin
              yield
            rescue ::SQLite3::BusyException
              raise unless Clock.now < (deadline ||= Clock.now + timeout)

              sleep(pause)
              pause = (pause * 2).clamp(PAUSES)
              retry
            end
          end

          def translate_errors(path)
            yield
          rescue ::SQLite3::Exception => error
            kind = refused?(error) ? StoreRefused : StoreUnavailable
            raise kind, "#{path}: #{advice(error)} (#{error.class.name.split("::").last}: " \
              "#{error.message[/.*/].chomp(":")})"
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
            case error
            when ::SQLite3::CantOpenException, ::SQLite3::NotADatabaseException then true
            end
          end
        end
      end
    end
  end
end
