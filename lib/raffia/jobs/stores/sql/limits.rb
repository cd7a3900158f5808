# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Limits how many jobs with a key run at a time.
        # @api private
        module Limits
          # The job keeps its place, before all that came since it was blocked.
          UNBLOCK = "UPDATE {jobs} SET state = 'queue', at = {now} WHERE id = (SELECT id " \
            "FROM {jobs} WHERE limit_key = $1 AND state = 'blocked' ORDER BY place LIMIT 1) " \
            "{returning} queue"
          RUNNING = "SELECT count(*) FROM {jobs} WHERE limit_key = $1 AND state = 'running'"

          module_function

          # Returns the oldest job that the key blocks to its queue.
          def unblock(db, key)
            db.lock("limit:#{key}")
            queue = db.rows(UNBLOCK, key).dig(0, 0)
            db.wake([queue]) if queue
          end

          # Whether more run than may, including the job that asks.
          def exceeded?(db, key, max)
            db.lock("limit:#{key}")
            db.rows(RUNNING, key).dig(0, 0) > max
          end
        end
      end
    end
  end
end
