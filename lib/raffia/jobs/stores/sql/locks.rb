# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Unique jobs and limits.
        # @api private
        module Locks
          LOCK = "INSERT INTO {uniques} AS u (key, job, ends_at) VALUES ($1, $2, {now} + $3) ON " \
          "CONFLICT (key) " \
            "DO UPDATE SET job = excluded.job, ends_at = excluded.ends_at WHERE u.ends_at <= {now}"
          # It keeps its place, which is in front of all that have come since it was blocked.
          UNBLOCK = "UPDATE {jobs} SET state = 'queue', at = {now} WHERE id = (SELECT id FROM " \
          "{jobs} WHERE limit_key = $1 AND state = 'blocked' " \
            "ORDER BY place LIMIT 1) RETURNING queue"
          RUNNING = "SELECT count(*) FROM {jobs} WHERE limit_key = $1 AND state = 'running'"

          private

          # @param unique [Hash] see {Payload}
          # @param id [Integer] the job's
          # @return [Boolean] whether it may come in
          def lock(db, unique, id) = db.run(LOCK, unique["key"], id, unique["for"]&.to_f) == 1

          # Only its owner frees it.
          def unlock(db, key, id)
            db.run("DELETE FROM {uniques} WHERE key = $1 AND job = $2", key, id)
          end

          # @return [Array, nil] {Ends::COLUMNS} and the state of the job that has the key, unless
          #   it runs or is no more
          def replaceable(db, key)
            db.rows("SELECT #{Ends::COLUMNS}, state FROM {jobs} WHERE id = (SELECT job FROM " \
            "{uniques} WHERE key = $1) " \
              "AND state IN ('queue', 'scheduled', 'retry', 'blocked') {lock}", key).first
          end

          # The oldest one that the key blocks goes back to the front of its queue.
          def unblock(db, key)
            db.lock("limit:#{key}")
            queue = db.rows(UNBLOCK, key).dig(0, 0)
            db.wake([queue]) if queue
          end

          # @return [Boolean] whether more run than may, with the one that asks
          def over?(db, key, max)
            db.lock("limit:#{key}")
            db.rows(RUNNING, key).dig(0, 0) > max
          end
        end
      end
    end
  end
end
