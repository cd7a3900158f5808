# frozen_string_literal: true

require_relative "sql"
require_relative "sql/held_claims"
require_relative "mysql/address"
require_relative "mysql/claims"
require_relative "mysql/completion"
require_relative "mysql/database"
require_relative "mysql/enqueue"
require_relative "mysql/flows"
require_relative "mysql/inspection"
require_relative "mysql/leases"
require_relative "mysql/maintenance"
require_relative "mysql/notifier"
require_relative "mysql/queue_registry"
require_relative "mysql/schedule"

module Raffia
  module Jobs
    module Stores
      # Keeps jobs in MariaDB (from 10.8) or MySQL (from 8.0), in tables with a prefix, which are
      # made on first use. Workers claim with SKIP LOCKED, and no operation comes to a deadlock with
      # another: see {RowSelection}.
      class MySQL < SQL
        # The options are those of the {Address}.
        def initialize(url, **options)
          Driver.load
          @address = Address.parse(url, **options)
          database = Database.new(@address) { @notifier.notify }
          held = HeldClaims.new(database) do |db, refs, token|
            @completion.put_back(db, refs, token)
          end
          build_groups(database: database, held: held, address: @address)
        end

        # The address without a password.
        def url = @address.url

        # Takes a Trilogy, or Active Record's connection by it.
        def within(connection, &) = @database.within(connection, &)

        # How often transactions of this process were repeated after a conflict with others.
        # @api private
        def conflicts = @database.conflicts

        # Closes connections, also the idle ones.
        def close
          @notifier.close
          @database.close
        end
      end
    end
  end
end
