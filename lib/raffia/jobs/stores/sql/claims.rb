# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # See {Store#claim}.
        # @api private
        module Claims
          TAKE = "UPDATE {jobs} SET state = 'running', token = $1, at = {now} WHERE id IN (SELECT id FROM {jobs} WHERE queue = $2 AND " \
            "state = 'queue' ORDER BY priority DESC, place LIMIT $3 {skip_locked}) RETURNING id, payload, special, priority, place"
          SPECIAL = "SELECT CASE WHEN expires_at <= {now} THEN 1 ELSE 0 END, limit_key, limit_max, unique_key, unique_start FROM {jobs} WHERE id = $1"
          BLOCK = "UPDATE {jobs} SET state = 'blocked', token = NULL, at = {now} WHERE id = $1"

          # Not durable: a power cut takes it back, and then the job waits again, which is what would be done with it in any case.
          def claim(lease, queues, limit)
            return [] if limit < 1

            writing(durable: false) do |db|
              next [] if db.rows("SELECT 1 FROM {leases} WHERE token = $1", lease.token).empty?

              (queues - paused_queues(db)).each_with_object([]) { |queue, claims| fill(db, claims, lease, queue, limit) }
            end
          end

          private

          def paused_queues(db) = db.rows("SELECT name FROM {queues} WHERE paused = 1").flatten

          # Of those that are taken some may turn out to be no jobs for now, so others are taken for them.
          def fill(db, claims, lease, queue, limit)
            while (wanted = limit - claims.size) > 0
              rows = db.rows(TAKE, lease.token, queue, wanted)
              in_order(rows).each do |id, payload, special|
                claims << Claim.new(lease, id, queue, payload) if special.zero? || fit?(db, id)
              end
              break if rows.size < wanted
            end
          end

          # A database returns rows in any order.
          def in_order(rows) = (rows.size < 2) ? rows : rows.sort_by { |row| [-row[3], row[4]] }

          # @return [Boolean] whether it is to be run now
          def fit?(db, id)
            expired, limit_key, limit_max, unique_key, unique_start = db.rows(SPECIAL, id).first
            return expire(db, id) if expired == 1
            return block(db, id) if limit_key && over?(db, limit_key, limit_max)

            unlock(db, unique_key, id) if unique_key && unique_start == 1
            true
          end

          def expire(db, id)
            left(db, db.rows("DELETE FROM {jobs} WHERE id = $1 RETURNING #{Ends::COLUMNS}", id), :dead)
            false
          end

          def block(db, id)
            db.run(BLOCK, id)
            false
          end
        end
      end
    end
  end
end
