# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        class Claims < SQL::Claims
          # Claims from all queues, one by one until it has enough: LIMIT takes rows from beneath
          # only as needed, and locks only those. Durable, because a crash would otherwise give a
          # running job to another worker.
          TAKE = "WITH open AS (SELECT wanted.name, wanted.number FROM unnest($2::text[]) WITH " \
            "ORDINALITY AS wanted (name, number) WHERE EXISTS (SELECT FROM {leases} " \
            "WHERE token = $1) AND NOT EXISTS (SELECT FROM {queues} AS q " \
            "WHERE q.name = wanted.name AND paused = 1) ORDER BY number), next AS MATERIALIZED " \
            "(SELECT job.id FROM open CROSS JOIN LATERAL (SELECT id FROM {jobs} " \
            "WHERE queue = open.name AND state = 'queue' AND priority < #{Store::SUSPECTS} " \
            "ORDER BY priority DESC, pass, place LIMIT $3 FOR UPDATE SKIP LOCKED) AS job " \
            "LIMIT $3) UPDATE {jobs} SET state = 'running', token = $1, at = {now} " \
            "WHERE id = ANY(ARRAY(SELECT id FROM next)) RETURNING id, place, payload, " \
            "#{SQL::TenantPauses::SPECIAL}, priority, pass, queue".freeze
          TAKE_SUSPECTS = TAKE.sub("priority <", "priority >=").freeze

          needs :database, :cleanup, :names, :held, :rate_admission, :tenant_pauses

          def claim(lease, queues, limit, suspects: false, ahead: false)
            return [] if limit < 1 || queues.empty?

            take = suspects ? TAKE_SUSPECTS : TAKE
            @held.track(lease) do
              fill([], limit) { |wanted| take_some(take, lease, queues, wanted, ahead) }
            end
          end

          # The planner knows of no suspects, and would read all waiting jobs.
          def suspects?(queues)
            @database.transaction(:by_index) { |db| db.rows(SUSPECT, queues) }.any?
          end

          private

          # A transaction of its own: it has locks of limits, and must not wait for others.
          def take_some(take, lease, queues, wanted, ahead)
            @rate_admission.open_before_claim(@database, wanted, ahead)
            @database.transaction(:by_index) do |db|
              take_from_all(db, take, lease, queues, wanted, ahead)
            end
          end

          def take_from_all(db, take, lease, queues, wanted, ahead)
            rows = db.rows(take, lease.token, queues, wanted)
            rows = rows.group_by { |row| row[6] }.sort_by { |queue, _| queues.index(queue) }
              .flat_map { |_, some| sorted(some) }
            claims = runnable(db, rows, ahead) { |id, place, payload, *, queue|
              Claim.new(lease, [id, place], queue, payload)
            }
            [claims, claims.size < rows.size]
          end
        end
      end
    end
  end
end
