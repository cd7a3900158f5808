# frozen_string_literal: true

require_relative "../../base/fork"
require_relative "sql"
require_relative "sqlite/address"
require_relative "sqlite/database"
require_relative "sqlite/notifier"

module Raffia
  module Jobs
    module Stores
      # Keeps jobs in one file, with nothing to install or to start: the default store. All
      # processes of one machine may use it.
      #
      # * Durable: an operation returns when its effect is on disk. Fibers and threads share
      #   transactions and flushes ({GroupCommit}), so a job costs a small part of one.
      # * No polling: a worker that waits has a socket beside the file, and commits of jobs notify
      #   it ({Notifier}).
      # * Leases are measured by the machine's uptime; a restart of the machine voids them.
      #
      # Addresses: `sqlite:jobs.db`, `sqlite:/var/lib/app/jobs.db?synchronous=normal`. See
      # docs/adr/0012.
      class SQLite < SQL
        # @param url [String]
        # @param synchronous [Symbol, String, nil] what a power cut may take of what was
        #   acknowledged:
        #   :full nothing; :normal the last moments; :off those, and it may ruin the file. A kill
        #   takes nothing from any of them. Also in the address
        # @param timeout [Numeric] seconds to wait for another process that writes
        # @raise [ConfigError]
        # @raise [MissingDependency] without the gem sqlite3
        def initialize(url, synchronous: nil, timeout: 10)
          @address = Address.parse(url, synchronous)
          Driver.load
          build_groups(Database.new(@address, timeout) { @notifier.notify })
          @notifier = Notifier.new(@database, @schedule, @address)
          @fork = Fork.after_child { [@database, @notifier].each(&:after_fork) }
        end

        def url = @address.to_s

        def exist? = File.exist?(@address.path)

        def close
          @fork.remove
          @notifier.close
          @database.close
          nil
        end
      end
    end
  end
end
