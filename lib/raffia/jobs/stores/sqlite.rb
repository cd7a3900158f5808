# frozen_string_literal: true

require_relative "../../base/fork"
require_relative "sql"
require_relative "sqlite/address"
require_relative "sqlite/database"
require_relative "sqlite/notifier"

module Raffia
  module Jobs
    module Stores
      # Keeps jobs in one file, for all processes of one machine: the default store.
      #
      # * An operation returns when its effect is on disk. Concurrent calls share a flush
      #   ({GroupCommit}).
      # * Commits of jobs notify a waiting worker by a socket beside the file ({Notifier}).
      # * Leases use the machine's uptime; a restart voids them.
      #
      # See docs/adr/0012.
      class SQLite < SQL
        # `synchronous`, also in the address, is what a power cut may take: :full nothing, :normal
        # the last moments, :off also the file. A kill takes nothing. `timeout` is for another
        # process that writes, in seconds.
        def initialize(url, synchronous: nil, timeout: 10)
          @address = Address.parse(url, synchronous)
          Driver.load
          database = Database.new(@address, timeout) { @notifier.notify }
          build_groups(database: database, address: @address)
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
