# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        class Maintenance < Store::Maintenance
          # Messages, and queries of what they tell.
          RULES = {
            "job %s is %s, and its lease does not fit: only running jobs have one" =>
              "SELECT jid, state FROM {jobs} WHERE (token IS NOT NULL AND state <> 'running') " \
              "OR (token IS NULL AND state = 'running')",
            "job %s has the unknown state %s" =>
              "SELECT jid, state FROM {jobs} WHERE state NOT IN ('queue', 'scheduled', 'retry', " \
              "'blocked', 'running', 'dead')",
            "the unique key %s belongs to job %s, which does not exist" =>
              "SELECT key, job FROM {uniques} WHERE ends_at IS NULL AND job NOT IN (SELECT id " \
              "FROM {jobs} WHERE state <> 'dead')",
            "limit %s has %s running jobs, and allows %s" =>
              "SELECT limit_key, count(*), max(limit_max) FROM {jobs} " \
              "WHERE limit_key IS NOT NULL AND state = 'running' " \
              "GROUP BY limit_key HAVING count(*) > max(limit_max)",
            "job %s is blocked by limit %s, which has no running or waiting job" =>
              "SELECT jid, limit_key FROM {jobs} AS b WHERE limit_key IS NOT NULL " \
              "AND state = 'blocked' AND rated = 0 AND NOT EXISTS (SELECT 1 FROM {jobs} AS o " \
              "WHERE o.limit_key = b.limit_key AND o.state IN ('queue', 'running'))",
            "job %s is blocked by the rate %s, which never opens" =>
              "SELECT jid, rate_key FROM {jobs} WHERE rated = 1 AND rate_key NOT IN (SELECT key " \
              "FROM {rate_keys} WHERE opens_at IS NOT NULL)",
            "job %s is %s, and marked as blocked by its rate or a pause" =>
              "SELECT jid, state FROM {jobs} WHERE rated > 0 AND state <> 'blocked'",
            "job %s is blocked by a pause of %s, which is over: pause and resume it" =>
              "SELECT jid, fair_key FROM {jobs} WHERE rated = 2 AND NOT EXISTS (SELECT 1 " \
              "FROM {paused_tenants} WHERE queue_name = queue AND tenant = fair_key)",
            "batch %s counts %s pending jobs, and has %s" =>
              "SELECT id, pending, held FROM (SELECT b.id, b.pending, (SELECT count(*) " \
              "FROM {jobs} AS j WHERE j.batch = b.id AND j.state <> 'dead') + (SELECT count(*) " \
              "FROM {batches} AS c WHERE c.parent = b.id AND c.completed_at IS NULL) AS held " \
              "FROM {batches} AS b) AS counted WHERE pending <> held",
            "flow %s is %s, and has no job" =>
              "SELECT id, status FROM {flows} WHERE status NOT IN ('done', 'cancelled', " \
              "'failed') AND job NOT IN (SELECT id FROM {jobs})",
            "flow %s counts %s steps, and has %s" =>
              "SELECT id, steps, held FROM (SELECT f.id, f.steps, (SELECT count(*) " \
              "FROM {flow_steps} AS s WHERE s.flow = f.id) AS held FROM {flows} AS f) AS counted " \
              "WHERE steps <> held",
            "workflow %s counts %s pending nodes, and has %s" =>
              "SELECT id, pending, held FROM (SELECT w.id, w.pending, (SELECT count(*) " \
              "FROM {workflow_nodes} AS n WHERE n.workflow = w.id AND n.state IN " \
              "('waiting', 'active')) AS held FROM {workflows} AS w) AS counted " \
              "WHERE pending <> held",
            "job %s has the number %s, which the next job will get" =>
              "SELECT jid, id FROM {jobs} WHERE id > (SELECT value FROM {counters} " \
              "WHERE name = 'number')"
          }.freeze
          CLAIMS = "SELECT jid, token, at FROM {jobs} WHERE token IS NOT NULL"
          DEAD = "DELETE FROM {jobs} WHERE state = 'dead' AND (at < {now} - $1 OR id IN " \
            "(SELECT id FROM {jobs} WHERE state = 'dead' ORDER BY at DESC, id DESC " \
            "LIMIT $3 OFFSET $2))"
          BATCHES = "DELETE FROM {batches} WHERE pending = 0 AND completed_at < {now} - $1"
          # A sub-workflow is needed as long as its parent may be undone.
          WORKFLOWS = "SELECT w.id FROM {workflows} AS w LEFT JOIN {workflows} AS p " \
            "ON p.id = w.parent WHERE w.completed_at < {now} - $1 AND p.id IS NULL"
          ALL = 2**31
          # Days and minutes of statistics that are kept.
          DAYS = 5 * 365
          MINUTES = 3 * 24 * 60

          needs :database, :leases, :flow_table

          def prune(dead_for: 180 * 86_400, dead_max: 10_000, batches_for: 7 * 86_400)
            @database.write do |db|
              db.run(DEAD, dead_for.to_f, dead_max, ALL)
              db.run(BATCHES, batches_for.to_f)
              prune_workflows(db, batches_for)
              %w[facts uniques].each do |table|
                db.run("DELETE FROM {#{table}} WHERE ends_at <= {now}")
              end
              @flow_table.prune(db, batches_for)
              prune_rates(db)
              prune_statistics(db)
            end
            nil
          end

          def check = @database.damage + broken_rules + unknown_claims

          private

          # A key that is idle equals one that was never used.
          def prune_rates(db)
            db.run("DELETE FROM {rate_keys} WHERE opens_at IS NULL AND idle_at <= {now} " \
              "AND closed_until <= {now}")
            db.run("DELETE FROM {rate_starts} WHERE key NOT IN (SELECT key FROM {rate_keys})")
          end

          def prune_workflows(db, seconds)
            db.rows(WORKFLOWS, seconds.to_f).each { |id,| WorkflowTable.delete(db, id) }
          end

          def prune_statistics(db)
            today = Time.now.utc
            db.run("DELETE FROM {days} WHERE day < $1", (today - DAYS * 86_400).strftime("%F"))
            db.run("DELETE FROM {minutes} WHERE minute < $1", today.to_i / 60 - MINUTES)
          end

          def broken_rules
            @database.read do |db|
              RULES.flat_map { |message, sql| db.rows(sql).map { |row| format(message, *row) } }
            end
          end

          def unknown_claims
            processes = @leases.processes
            Store::UnknownClaims.find(processes, @database.read { |db| db.rows(CLAIMS) })
          end
        end
      end
    end
  end
end
