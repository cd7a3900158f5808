# frozen_string_literal: true

require_relative "../sql/repeated_completion"

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # Removes plain jobs by primary key.
        class Completion < SQL::RepeatedCompletion
          DELETE = "DELETE FROM {jobs} WHERE id = $1 AND place = $2 AND token = $3"
          LOCK = "SELECT id FROM {jobs} WHERE id {ids $1} {lock}"

          private

          # Rows are locked in one order.
          def to_front(db, refs, token)
            db.rows(LOCK, refs.map(&:first)) if refs.size > 1
            super
          end

          def delete_plain(claims)
            return delete_one(claims.first) if claims.one?

            @database.write do |db|
              by_token(claims).flat_map do |token, refs|
                db.rows(ACK, refs.map(&:first), token, refs.map(&:last)).map(&:first)
              end
            end
          end

          # In one round trip.
          def delete_one(claim)
            changed = @database.retry_conflicts do
              @database.read { |db| db.run(DELETE, *claim.ref, claim.lease.token) }
            end
            (changed == 1) ? [claim.ref.first] : []
          end
        end
      end
    end
  end
end
