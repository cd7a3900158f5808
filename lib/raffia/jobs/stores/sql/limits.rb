# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Limits of jobs that run at a time with the same key.
        # @api private
        module Limits
          # The job keeps its place, which is in front of all that have come since it was blocked.
          UNBLOCK = "UPDATE {jobs} SET state = 'queue', at = {now} WHERE id = (SELECT id " \
            "FROM {jobs} WHERE limit_key = $1 AND state = 'blocked' ORDER BY place LIMIT 1) " \
            "{returning} queue"
          RUNNING = "SELECT count(*) FROM {jobs} WHERE limit_key = $1 AND state = 'running'"

          module_function

          # Lets the oldest job that the key blocks back to the front of its queue.
          def unblock(db, key)
            db.lock("limit:#{key}")
            queue = db.rows(UNBLOCK, key).dig(0, 0)
            db.wake([queue]) if queue
          end

          # @return [Boolean] whether more run than may, including the one that asks
          def exceeded?(db, key, max)
            db.lock("limit:#{key}")
            db.rows(RUNNING, key).dig(0, 0) > max
          end
        end
      end
    end
  end
end
