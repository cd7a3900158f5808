# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Keys of unique jobs.
        # @api private
        module Uniqueness
          LOCK = "INSERT INTO {uniques existing} (key, job, ends_at) VALUES ($1, $2, {now} + $3) " \
            "{upsert key} job = {excluded job}, ends_at = {excluded ends_at} " \
            "WHERE {existing ends_at} <= {now}"
          OWNER = "SELECT %s, state FROM {jobs} WHERE id = (SELECT job FROM {uniques} " \
            "WHERE key = $1) AND state IN ('queue', 'scheduled', 'retry', 'blocked') {lock}"
          UNLOCK = "DELETE FROM {uniques} WHERE key = $1 AND job = $2"

          module_function

          def lock(db, unique, id) = db.run(LOCK, unique["key"], id, unique["for"]&.to_f) == 1

          # Only its owner frees a key.
          def unlock(db, key, id) = db.run(UNLOCK, key, id)

          # Columns and state of the key's waiting job.
          def replaceable(db, key, columns) = db.rows(format(OWNER, columns), key).first
        end
      end
    end
  end
end
