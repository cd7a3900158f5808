# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        class Claims < SQL::Claims
          # By the index, whose order it is: a sort would read the whole queue.
          NEXT = "SELECT id, place, payload, #{SQL::TenantPauses::SPECIAL}, priority " \
            "FROM {jobs} FORCE INDEX (turns) " \
            "WHERE state = 'queue' AND queue = $1 AND priority < #{Store::SUSPECTS} " \
            "ORDER BY priority DESC, pass, place LIMIT $2 {skip_locked}".freeze
          NEXT_SUSPECTS = NEXT.sub("priority <", "priority >=").freeze
          TAKE = "UPDATE {jobs} SET state = 'running', token = $1, at = {now} WHERE id {ids $2}"
          # Whether the lease holds, and which queues are paused.
          OPEN = "SELECT NULL FROM {leases} WHERE token = $1 UNION ALL SELECT name FROM {queues} " \
            "WHERE paused = 1"
          SUSPECT = "SELECT 1 FROM {jobs} FORCE INDEX (turns) WHERE state = 'queue' " \
            "AND queue = $1 AND priority >= #{Store::SUSPECTS} LIMIT 1"

          needs :database, :cleanup, :names, :held, :rate_admission, :tenant_pauses

          def claim(lease, queues, limit, suspects: false, ahead: false)
            return [] if limit < 1 || queues.empty?

            following = suspects ? NEXT_SUSPECTS : NEXT
            @held.track(lease) do
              claims = []
              ROUNDS.times do
                more = take_some(claims, lease, queues, limit, following, ahead)
                break unless more && claims.size < limit
              end
              claims
            end
          end

          def suspects?(queues)
            @database.read do |db|
              (queues - @names.paused(db)).any? { |queue| db.rows(SUSPECT, queue).any? }
            end
          end

          private

          # Returns whether there may be more. A transaction ends with the first jobs that have
          # limits: it has their locks, and must not wait for others.
          def take_some(claims, lease, queues, limit, following, ahead)
            limit -= claims.size
            @rate_admission.open_before_claim(@database, limit, ahead)
            more = false
            taken = @database.write do |db|
              more = false
              open_queues(db, lease, queues).each_with_object([]) do |queue, some|
                wanted = limit - some.size
                break some if wanted < 1 || more

                rows, more = take_from(db, following, lease, queue, wanted, ahead)
                some.concat(rows)
              end
            end
            claims.concat(taken)
            more
          end

          # None when the lease is lost.
          def open_queues(db, lease, queues)
            names = db.rows(OPEN, lease.token).flatten
            names.include?(nil) ? queues - names : []
          end

          # Returns claims, and whether some of the jobs had to be looked at.
          def take_from(db, following, lease, queue, wanted, ahead)
            rows = db.rows(following, queue, wanted)
            return [[], false] if rows.empty?

            db.run(TAKE, lease.token, rows.map(&:first))
            claims = runnable(db, rows, ahead) { |id, place, payload|
              Claim.new(lease, [id, place], queue, payload)
            }
            [claims, rows.any? { |row| row[3] > 0 }]
          end
        end
      end
    end
  end
end
