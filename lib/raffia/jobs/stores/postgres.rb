# frozen_string_literal: true

require_relative "../../base/clock"
require_relative "sql"
require_relative "sql/held_claims"
require_relative "postgres/address"
require_relative "postgres/claims"
require_relative "postgres/completion"
require_relative "postgres/database"
require_relative "postgres/enqueue"
require_relative "postgres/flows"
require_relative "postgres/leases"
require_relative "postgres/notifier"
require_relative "postgres/queue_registry"

module Raffia
  module Jobs
    module Stores
      # Keeps jobs in PostgreSQL (from version 12), in a schema of their own, which is made on first
      # use. Workers claim with SKIP LOCKED and wait with LISTEN.
      class Postgres < SQL
        # The options are those of the {Address}.
        def initialize(url, **options)
          Driver.load
          @address = Address.parse(url, **options)
          database = Database.new(@address)
          held = HeldClaims.new(database) do |db, refs, token|
            @completion.put_back(db, refs, token)
          end
          build_groups(database: database, held: held, poll: @address.look)
        end

        def url = @address.url

        def within(connection, &) = @database.within(connection, &)

        def close
          @notifier.close
          @database.close
        end
      end
    end
  end
end
