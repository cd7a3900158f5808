# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # See {Store#check}.
        # @api private
        module Check
          # Each finds what should not be, in columns that its words take.
          RULES = {
            "job %s is %s, and has the token of a lease or none: only running ones have one" =>
              "SELECT jid, state FROM {jobs} WHERE (token IS NOT NULL AND state <> 'running') OR " \
                "(token IS NULL AND state = 'running')",
            "job %s is in no place that there is: %s" =>
              "SELECT jid, state FROM {jobs} WHERE state NOT IN ('queue', 'scheduled', 'retry', " \
                "'blocked', 'running', 'dead')",
            "the unique key %s is held by job %s, which is no more" =>
              "SELECT key, job FROM {uniques} WHERE ends_at IS NULL AND job NOT IN (SELECT id " \
                "FROM {jobs} WHERE state <> 'dead')",
            "of limit %s %s jobs run, and at most %s may" =>
              "SELECT limit_key, count(*), max(limit_max) FROM {jobs} WHERE limit_key IS NOT " \
              "NULL AND state = 'running' " \
              "GROUP BY limit_key HAVING count(*) > max(limit_max)",
            "job %s waits for limit %s, and nothing of it runs or is to run" =>
              "SELECT jid, limit_key FROM {jobs} AS b WHERE limit_key IS NOT NULL AND state = " \
              "'blocked' AND NOT EXISTS " \
              "(SELECT 1 FROM {jobs} AS o WHERE o.limit_key = b.limit_key AND o.state IN " \
              "('queue', 'running'))",
            "batch %s has %s jobs pending by its count, and %s by theirs" =>
              "SELECT id, pending, held FROM (SELECT b.id, b.pending, (SELECT count(*) FROM " \
              "{jobs} AS j WHERE j.batch = b.id AND j.state <> 'dead') + " \
              "(SELECT count(*) FROM {batches} AS c WHERE c.parent = b.id AND c.completed_at IS " \
              "NULL) AS held FROM {batches} AS b) AS counted WHERE pending <> held",
            "job %s has the number %s, which is to be given to another" =>
              "SELECT jid, id FROM {jobs} WHERE id > (SELECT value FROM {counters} WHERE name = " \
                "'number')"
          }.freeze

          def check
            reading { |db|
              RULES.flat_map { |words, sql| db.rows(sql).map { |row| format(words, *row) } }
            } + ghosts
          end

          private

          def ghosts
            workers = processes
            Store::Ghosts.find(workers,
              reading { |db| db.rows("SELECT jid, token, at FROM {jobs} WHERE token IS NOT NULL") })
          end
        end
      end
    end
  end
end
