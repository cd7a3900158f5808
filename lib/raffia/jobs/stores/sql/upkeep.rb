# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # What any worker does for all of them, see {Store}.
        # @api private
        module Upkeep
          DUE = "SELECT id, queue, payload FROM {jobs} WHERE state IN ('scheduled', 'retry') AND " \
            "at <= {now} ORDER BY at, id LIMIT $1 {skip_locked}"
          NEXT = "SELECT at - {now} FROM {jobs} WHERE state IN ('scheduled', 'retry') ORDER BY " \
            "at LIMIT 1"
          # What is dead and tried again is no suspect any more.
          ANEW = "UPDATE {jobs} SET state = 'queue', at = {now}, place = $2, payload = $3, " \
            "priority = CASE WHEN priority < #{Store::SUSPECTS} THEN priority ELSE priority - " \
            "#{Store::SUSPECT} END WHERE id = $1"
          PROMOTE = "UPDATE {jobs} SET state = 'queue', at = {now}, place = $2, payload = $3 " \
            "WHERE id = $1"
          # Also of leases that ended before: a claim was under way then, and was committed later.
          LOST = "SELECT token, id, place, jid, queue, payload FROM {jobs} WHERE token IS NOT " \
            "NULL AND token NOT IN (SELECT token FROM {leases}) ORDER BY place DESC {lock}"
          HELD = "SELECT token, id, place, jid, queue, payload FROM {jobs} WHERE token = $1 " \
            "ORDER BY place DESC {lock}"
          GIVE_BACK = "UPDATE {jobs} SET state = 'queue', at = {now}, place = $2, payload = $3, " \
          "token = NULL, priority = CASE WHEN $4 = 1 AND " \
            "priority < #{Store::SUSPECTS} THEN priority + #{Store::SUSPECT} ELSE priority END " \
            "WHERE id = $1 RETURNING #{Ends::COLUMNS}"
          POISON = "UPDATE {jobs} SET state = 'dead', at = {now}, payload = $2, token = NULL " \
            "WHERE id = $1 RETURNING #{Ends::COLUMNS}"
          TOO_OLD = "DELETE FROM {jobs} WHERE state = 'dead' AND (at < {now} - $1 OR id IN " \
            "(SELECT id FROM {jobs} WHERE state = 'dead' ORDER BY at DESC, id DESC LIMIT $3 " \
            "OFFSET $2))"
          # Statistics by the day are kept for five years, those by the minute for three days.
          DAYS = 5 * 365
          MINUTES = 3 * 24 * 60
          # Most dead jobs that one prune throws away for being too many.
          ALL = 2**31

          def promote(limit = 1000)
            due = reading { |db| next_due(db) }
            return due unless due == 0

            writing(durable: false) { |db| (promote_due(db, limit) < limit) ? next_due(db) : 0 }
          end

          def recover
            return [] unless reading { |db| lost?(db) }

            writing do |db|
              ended = db.rows("DELETE FROM {leases} WHERE NOT ({live}) RETURNING token").flatten
              db.run("DELETE FROM {orders} WHERE token NOT IN (SELECT token FROM {leases})")
              held, late = db.rows(LOST).partition { |row| ended.include?(row.first) }
              # Their worker was gone, or had lost its lease: no job of such a claim has begun.
              bring_back(db, held) + bring_back(db, late, [])
            end
          end

          def report_death(lease, begun)
            writing do |db|
              held = db.rows(HELD, lease.token)
              db.run("DELETE FROM {leases} WHERE token = $1", lease.token)
              db.run("DELETE FROM {orders} WHERE token = $1", lease.token)
              bring_back(db, held, begun)
            end
          end

          def prune(dead_for: 180 * 86_400, dead_max: 10_000, batches_for: 7 * 86_400)
            writing do |db|
              db.run(TOO_OLD, dead_for.to_f, dead_max, ALL)
              db.run("DELETE FROM {batches} WHERE pending = 0 AND completed_at < {now} - $1",
                batches_for.to_f)
              %w[facts uniques].each do |table|
                db.run("DELETE FROM {#{table}} WHERE ends_at <= {now}")
              end
              prune_statistics(db)
            end
            nil
          end

          private

          # @return [Numeric, nil]
          def next_due(db) = db.rows(NEXT).dig(0, 0)&.clamp(0..)

          def promote_due(db, limit)
            rows = db.rows(DUE, limit)
            rows.zip(db.numbers(rows.size)) do |(id, _, payload), number|
              db.run(PROMOTE, id, number, Store::Rewrite.queued(payload))
            end
            db.wake(rows.map { |row| row[1] }.uniq)
            rows.size
          end

          def lost?(db)
            db.rows("SELECT 1 FROM {leases} WHERE NOT ({live}) LIMIT 1").any? ||
              db.rows("SELECT 1 FROM {jobs} WHERE token IS NOT NULL AND token NOT IN (SELECT " \
                "token FROM {leases}) LIMIT 1").any?
          end

          # @param rows [Array<Array>] of {LOST}, the last one first
          # @return [Array<Recovered>]
          def bring_back(db, rows, begun = nil)
            verdicts = rows.group_by(&:first).transform_values do |held|
              Store::Death.verdicts(held.to_h { |_, id, place, _, _, payload|
                [[id, place],
                  payload]
              }, begun)
            end
            rows.map { |token, id, place, jid, queue|
              bring_one_back(db, id, jid, queue, verdicts[token][[id, place]])
            }.reverse
          end

          def bring_one_back(db, id, jid, queue, verdict)
            if verdict.dead?
              left(db, db.rows(POISON, id, verdict.payload), :dead)
            else
              requeue_recovered(db, id, queue, verdict)
            end
            Recovered.new(jid: jid, queue: queue, crashes: verdict.crashes, dead: verdict.dead?)
          end

          def requeue_recovered(db, id, queue, verdict)
            stopped(db,
              db.rows(GIVE_BACK, id, -db.numbers(1).first, verdict.payload,
                verdict.suspect? ? 1 : 0).first)
            db.wake([queue])
          end

          def prune_statistics(db)
            today = Time.now.utc
            db.run("DELETE FROM {days} WHERE day < $1", (today - DAYS * 86_400).strftime("%F"))
            db.run("DELETE FROM {minutes} WHERE minute < $1", today.to_i / 60 - MINUTES)
          end
        end
      end
    end
  end
end
