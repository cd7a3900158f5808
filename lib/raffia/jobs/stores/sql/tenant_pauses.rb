# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Keys of fair queues that are paused. Claims move their jobs to `blocked`; a pause changes
        # no job itself, so it ends as fast for a million of them.
        # @api private
        class TenantPauses
          # Added by claims to `special` of a job whose key is paused.
          MARK = 4
          SPECIAL = "CASE WHEN fair_key IS NOT NULL AND EXISTS (SELECT 1 FROM {paused_tenants} " \
            "WHERE queue_name = queue AND tenant = fair_key) THEN special + #{MARK} " \
            "ELSE special END".freeze
          ADD = "INSERT INTO {paused_tenants} (queue_name, tenant) VALUES ($1, $2) " \
            "{ignore queue_name,tenant}"
          REMOVE = "DELETE FROM {paused_tenants} WHERE queue_name = $1 AND tenant = $2"
          PAUSED = "SELECT 1 FROM {paused_tenants} WHERE queue_name = $1 AND tenant = $2"
          NAMES = "SELECT tenant FROM {paused_tenants} WHERE queue_name = $1"
          KEYS = "SELECT id, queue, fair_key, limit_key FROM {jobs} WHERE id {ids $1}"
          BLOCK = "UPDATE {jobs} SET state = 'blocked', rated = 2, token = NULL, at = {now} " \
            "WHERE id {ids $1}"
          # Others of the same key. Those with a limit stay, as they do under a closed rate.
          BLOCK_MORE = "UPDATE {jobs} SET state = 'blocked', rated = 2, at = {now} WHERE id IN " \
            "(SELECT id FROM {jobs} WHERE state = 'queue' AND queue = $1 AND fair_key = $2 " \
            "AND limit_key IS NULL AND priority < #{Store::SUSPECTS} LIMIT $3 {skip_locked})"
          MORE = 1000
          BLOCKED = "SELECT id, priority, fair_weight FROM {jobs} WHERE state = 'blocked' " \
            "AND rated = 2 AND queue = $1 AND fair_key = $2 ORDER BY priority DESC, place LIMIT $3"

          def pause(db, queue, tenant)
            lock(db, queue, tenant)
            db.run(ADD, queue, tenant)
          end

          # Returns the blocked jobs to their queue.
          def resume(db, queue, tenant)
            lock(db, queue, tenant)
            db.run(REMOVE, queue, tenant)
            turns = FairTurns.new(db)
            until (rows = db.rows(BLOCKED, queue, tenant, MORE)).empty?
              passes = rows.map { |_, priority, weight|
                turns.next_of_key(queue, priority, tenant, weight)
              }
              rows.map(&:first).zip(passes).group_by(&:last).each do |pass, some|
                db.run(RateAdmission::UNBLOCK, some.map(&:first), pass)
              end
            end
            db.wake([queue])
          end

          def names(db, queue) = db.rows(NAMES, queue).flatten

          # Blocks the claimed jobs of paused keys. Returns their limit keys by their ids: a key may
          # have been resumed meanwhile.
          def block(db, ids)
            jobs = db.rows(KEYS, ids).group_by { |row| row[1..2] }.sort
            db.lock_in_order(jobs.map { |key, _| name(*key) }) if jobs.size > 1
            jobs.flat_map { |key, rows| block_key(db, key, rows) }
              .to_h { |id, _, _, limit_key| [id, limit_key] }
          end

          private

          def block_key(db, key, rows)
            lock(db, *key)
            return [] if db.rows(PAUSED, *key).empty?

            db.run(BLOCK, rows.map(&:first))
            db.run(BLOCK_MORE, *key, MORE)
            rows
          end

          def lock(db, queue, tenant) = db.lock(name(queue, tenant))

          def name(queue, tenant) = "tenant:#{queue}:#{tenant}"
        end
      end
    end
  end
end
