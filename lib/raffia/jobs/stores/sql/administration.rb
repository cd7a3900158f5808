# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        class Administration < Store::Administration
          DELETE = "DELETE FROM {jobs} WHERE id = $1 AND state = $2 AND state <> 'running' " \
            "{returning} #{Cleanup::COLUMNS}"
          KILL = "UPDATE {jobs} SET state = 'dead', at = {now} WHERE id = $1 AND state = $2 " \
            "AND state IN ('queue', 'scheduled', 'retry') {returning} #{Cleanup::COLUMNS}"
          REQUEUEABLE = "SELECT id, queue, payload, priority, fair_key, fair_weight, batch, " \
            "jid, workflow, node FROM {jobs} WHERE id = $1 AND state = $2 " \
            "AND state IN ('scheduled', 'retry', 'blocked', 'dead') {lock}"
          MOVABLE = "SELECT id, payload, priority, fair_key, fair_weight FROM {jobs} " \
            "WHERE id = $1 AND state = $2 AND state IN ('queue', 'scheduled', 'retry', 'dead') " \
            "{lock}"
          MOVE = "UPDATE {jobs} SET queue = $2, payload = $3, place = $4, pass = $5 WHERE id = $1"
          # Such a job is no suspect any more.
          REVIVE = "UPDATE {jobs} SET state = 'queue', at = {now}, place = $2, payload = $3, " \
            "pass = $4, priority = CASE WHEN priority < #{Store::SUSPECTS} THEN priority " \
            "ELSE priority - #{Store::SUSPECT} END WHERE id = $1"
          REPLACE = "UPDATE {jobs} SET payload = $1 WHERE id = $2 AND state = $3 " \
            "AND state <> 'running' AND payload = $4"
          PAUSE = "INSERT INTO {queues} (name, paused) VALUES ($1, $2) " \
            "{upsert name} paused = {excluded paused}"

          needs :database, :counter, :workflow_counter, :cleanup, :names, :schedule, :flow_table,
            :tenant_pauses

          def delete(entries)
            @database.write { |db| finish(db, DELETE, entries) }
          end

          def requeue(entries)
            @database.write do |db|
              found = lock(db, REQUEUEABLE, entries)
              found.each { |entry, row| requeue_one(db, entry, row) }
              revived(db, found.select { |entry,| entry.set == :dead })
              db.wake(found.map { |_, row| row[1] }.uniq)
              found.size
            end
          end

          def kill(entries)
            @database.write { |db| finish(db, KILL, entries) }
          end

          def move(entries, queue)
            @database.write do |db|
              @names.add(db, [queue]) unless entries.empty?
              found = lock(db, MOVABLE, entries)
              found.each { |entry, row| move_one(db, entry, row, queue) }
              db.wake([queue]) if found.any?
              found.size
            end
          end

          def replace(payloads)
            @database.write do |db|
              payloads.sort_by { |entry, _| entry.ref }.sum do |entry, payload|
                db.run(REPLACE, payload, entry.ref, entry.set.to_s, entry.payload)
              end
            end
          end

          def clear(set, queue: nil)
            return 0 if set == :running

            where = "FROM {jobs} WHERE #{Inspection::WHERE.fetch(set)}#{" AND queue = $1" if queue}"
            @database.write do |db|
              plain = db.run("DELETE #{where} AND special = 0", *queue)
              rows = db.rows("DELETE #{where} AND special > 0 {returning} #{Cleanup::COLUMNS}",
                *queue)
              @names.forget(db, queue) if set == :queue
              @cleanup.ended(db, rows, :dead, unblock: set == :queue) unless set == :dead
              plain + rows.size
            end
          end

          def pause(queue, tenant: nil)
            @database.write do |db|
              tenant ? @tenant_pauses.pause(db, queue, tenant) : db.run(PAUSE, queue, 1)
            end
            nil
          end

          def resume(queue, tenant: nil)
            @database.write do |db|
              next @tenant_pauses.resume(db, queue, tenant) if tenant

              db.run(PAUSE, queue, 0)
              db.wake([queue])
            end
            nil
          end

          private

          # All jobs come before what they held. The end of a dead job has been counted before.
          def finish(db, sql, entries)
            rows = Hash.new { |all, set| all[set] = [] }
            entries.sort_by(&:ref).each do |entry|
              rows[entry.set].concat(db.rows(sql, entry.ref, entry.set.to_s))
            end
            @cleanup.ended(db, rows.except(:dead).values.flatten(1), :dead, unblock: false)
            @cleanup.unblock(db, rows.fetch(:queue, []).map { |row| row[2] })
            rows.values.sum(&:size)
          end

          # Rows by their entries, which keep their order. They are locked by their numbers.
          def lock(db, sql, entries)
            entries = entries.uniq { |entry| [entry.ref, entry.set] }
            rows = entries.sort_by(&:ref)
              .to_h { |entry| [entry, db.rows(sql, entry.ref, entry.set.to_s).first] }
            entries.filter_map { |entry| [entry, rows[entry]] if rows[entry] }
          end

          def requeue_one(db, entry, row)
            return revive(db, row) if entry.set == :dead

            @schedule.move(db, FairTurns.new(db), db.numbers(1).first, row.first(6))
          end

          def revived(db, found)
            found.each { |entry,| @flow_table.revived(db, entry.ref) }
            found.filter_map { |_, row| row[6] }.sort.each { |batch| @counter.revived(db, batch) }
            nodes = found.map { |_, row| [row[8], row[9], row[7]] }.select(&:first)
            nodes.sort.reverse_each { |one| @workflow_counter.revived(db, *one) }
          end

          # The turn of another set's job is computed when it comes to its queue.
          def move_one(db, entry, row, queue)
            id, payload, priority, key, weight = row
            key = nil unless entry.set == :queue
            pass = FairTurns.new(db).next_of_key(queue, priority, key, weight)
            db.run(MOVE, id, queue, Store::Rewrite.moved(payload, queue), db.numbers(1).first, pass)
          end

          # A suspect loses its priority.
          def revive(db, row)
            id, queue, payload, priority, key, weight = row
            priority -= Store::SUSPECT if priority >= Store::SUSPECTS
            pass = FairTurns.new(db).next_of_key(queue, priority, key, weight)
            db.run(REVIVE, id, db.numbers(1).first, Store::Rewrite.anew(payload), pass)
          end
        end
      end
    end
  end
end
