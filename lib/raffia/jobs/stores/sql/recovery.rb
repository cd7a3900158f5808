# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        class Recovery < Store::Recovery
          COLUMNS = "token, id, place, jid, queue, payload"
          NO_LEASE = "token IS NOT NULL AND token NOT IN (SELECT token FROM {leases})"
          # Also of leases that ended before: a claim was under way then, and was committed later.
          LOST = "SELECT #{COLUMNS} FROM {jobs} WHERE #{NO_LEASE} ORDER BY place DESC {lock}".freeze
          HELD = "SELECT #{COLUMNS} FROM {jobs} WHERE token = $1 ORDER BY place DESC {lock}".freeze
          END_EXPIRED = "DELETE FROM {leases} WHERE NOT ({live}) {returning} token"
          PUT_BACK = "UPDATE {jobs} SET state = 'queue', at = {now}, place = $2, payload = $3, " \
            "token = NULL, priority = CASE WHEN $4 = 1 AND priority < #{Store::SUSPECTS} " \
            "THEN priority + #{Store::SUSPECT} ELSE priority END WHERE id = $1 " \
            "{returning} #{Cleanup::COLUMNS}"
          BURY = "UPDATE {jobs} SET state = 'dead', at = {now}, payload = $2, token = NULL " \
            "WHERE id = $1 {returning} #{Cleanup::COLUMNS}"

          needs :database, :cleanup, :leases

          def recover
            return [] unless @database.read { |db| lost?(db) }

            @database.write do |db|
              ended = db.rows(END_EXPIRED).flatten
              db.run("DELETE FROM {orders} WHERE token NOT IN (SELECT token FROM {leases})")
              held, late = db.rows(LOST).partition { |row| ended.include?(row.first) }
              # None of these jobs has begun: the worker was dead, or had lost its lease.
              recover_jobs(db, held) + recover_jobs(db, late, [])
            end
          end

          def report_death(lease, begun)
            @database.write do |db|
              @leases.lock(db, lease)
              held = db.rows(HELD, lease.token)
              @leases.remove(db, lease)
              recover_jobs(db, held, begun)
            end
          end

          private

          def lost?(db)
            db.rows("SELECT 1 FROM {leases} WHERE NOT ({live}) LIMIT 1").any? ||
              db.rows("SELECT 1 FROM {jobs} WHERE #{NO_LEASE} LIMIT 1").any?
          end

          # Rows come with the last one first.
          def recover_jobs(db, rows, begun = nil)
            verdicts = rows.group_by(&:first).transform_values do |held|
              payloads = held.to_h { |_, id, place, _, _, payload| [[id, place], payload] }
              Store::CrashVerdict.of_claims(payloads, begun)
            end
            dead, waiting = rows.partition { |token, id, place| verdicts[token][[id, place]].dead? }
            change(db, dead, waiting) { |token, id, place| verdicts[token][[id, place]] }
            rows.map { |token, id, place, jid, queue|
              verdicts[token][[id, place]].recovered(jid, queue)
            }.reverse
          end

          # Yields rows for their verdicts. All jobs come before what they held.
          def change(db, dead, waiting)
            buried = dead.flat_map { |row| db.rows(BURY, row[1], yield(row).payload) }
            stopped = waiting.flat_map { |row| put_back(db, row[1], yield(row)) }
            @cleanup.recovered(db, buried, stopped)
            db.wake(waiting.map { |row| row[4] }.uniq)
          end

          def put_back(db, id, verdict)
            db.rows(PUT_BACK, id, -db.numbers(1).first, verdict.payload, verdict.suspect? ? 1 : 0)
          end
        end
      end
    end
  end
end
