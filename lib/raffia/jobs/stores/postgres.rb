# frozen_string_literal: true

require_relative "sql"
require_relative "postgres/address"
require_relative "postgres/claims"
require_relative "postgres/completion"
require_relative "postgres/database"
require_relative "postgres/enqueue"
require_relative "postgres/held_claims"
require_relative "postgres/leases"
require_relative "postgres/notifier"
require_relative "postgres/queue_names"

module Raffia
  module Jobs
    module Stores
      # Keeps jobs in PostgreSQL (from version 12), in tables of their own in a schema of their own,
      # which is made on first use. Workers claim with SKIP LOCKED and wait with LISTEN. Enqueues
      # may be a part of a transaction of the application's: {#within}.
      class Postgres < SQL
        # Groups that begin and end claims.
        HOLDING = %i[Claims Completion Leases].freeze
        private_constant :HOLDING

        # @param url [String] see {Address}
        # @param options [Hash] schema, pool, listen, look: as in the address
        # @raise [ConfigError]
        # @raise [MissingDependency] when there is no gem pg
        def initialize(url, **options)
          Driver.load
          @address = Address.parse(url, **options)
          build_groups(Database.new(@address))
          @notifier = Notifier.new(@database, @address.look)
        end

        def url = @address.url

        def within(connection, &) = @database.within(connection, &)

        def close
          @notifier.close
          @database.close
        end

        private

        def build_moves(...)
          @held = HeldClaims.new(@database) do |db, refs, token|
            @completion.put_back(db, refs, token)
          end
          super
        end

        def group(name, *others) = HOLDING.include?(name) ? super(name, *others, @held) : super
      end
    end
  end
end
