# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        class Leases < SQL::Leases
          # See {SQL::Leases::TOKEN}.
          NEXT = "UPDATE {counters} SET value = LAST_INSERT_ID(IF(value < $1, $1, value + 1)) " \
            "WHERE name = 'token'"
          LOCK = "SELECT 1 FROM {leases} WHERE token = $1 {lock}"

          needs :database, :completion, :statistics, :held

          def beat(lease, state = {}, tally: nil)
            super.tap { |orders| @held.remove_lease(lease) unless orders }
          end

          def resign(lease, tally: nil) = super.tap { @held.remove_lease(lease) }

          # Before jobs, as {Recovery} does.
          def lock(db, lease) = db.rows(LOCK, lease.token)

          private

          def next_token(db, time)
            db.run(NEXT, time)
            db.last_id
          end
        end
      end
    end
  end
end
