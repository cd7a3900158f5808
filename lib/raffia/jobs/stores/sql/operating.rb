# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # What people do to jobs by hand, see {Store}. An entry whose job has moved on since it was
        # looked at is not touched.
        # @api private
        module Operating
          DELETE = "DELETE FROM {jobs} WHERE id = $1 AND state = $2 AND state <> 'running' " \
            "RETURNING #{Ends::COLUMNS}"
          KILL = "UPDATE {jobs} SET state = 'dead', at = {now} WHERE id = $1 AND state = $2 AND " \
          "state IN ('queue', 'scheduled', 'retry') " \
            "RETURNING #{Ends::COLUMNS}"
          HELD = "SELECT payload, queue, batch FROM {jobs} WHERE id = $1 AND state = $2 AND " \
            "state IN ('scheduled', 'retry', 'blocked', 'dead') {lock}"
          PAUSE = "INSERT INTO {queues} (name, paused) VALUES ($1, $2) ON CONFLICT (name) DO " \
            "UPDATE SET paused = excluded.paused"

          def delete(entries)
            writing { |db| entries.count { |entry| end_entry(db, DELETE, entry) } }
          end

          def requeue(entries)
            writing { |db| entries.count { |entry| requeue_one(db, entry) } }
          end

          def kill(entries)
            writing { |db| entries.count { |entry| end_entry(db, KILL, entry) } }
          end

          def clear(set, queue: nil)
            return 0 if set == :running

            where = "FROM {jobs} WHERE #{Looking::WHERE.fetch(set)}#{" AND queue = $1" if queue}"
            writing do |db|
              plain = db.run("DELETE #{where} AND special = 0", *queue)
              rows = db.rows("DELETE #{where} AND special = 1 RETURNING #{Ends::COLUMNS}", *queue)
              forget_queues(db, queue) if set == :queue
              left(db, rows, :dead, next_one: set == :queue) unless set == :dead
              plain + rows.size
            end
          end

          def pause(queue)
            writing { |db| db.run(PAUSE, queue, 1) }
            nil
          end

          def resume(queue)
            writing do |db|
              db.run(PAUSE, queue, 0)
              db.wake([queue])
            end
            nil
          end

          private

          def forget_queues(db, queue)
            db.run("DELETE FROM {queues} WHERE paused = 0#{" AND name = $1" if queue}", *queue)
          end

          # What is dead has come to its end before.
          def end_entry(db, sql, entry)
            rows = db.rows(sql, entry.ref, entry.set.to_s)
            left(db, rows, :dead, next_one: entry.set == :queue) unless entry.set == :dead
            rows.any?
          end

          def requeue_one(db, entry)
            payload, queue, batch = db.rows(HELD, entry.ref, entry.set.to_s).first
            return false unless payload

            dead = entry.set == :dead
            number = db.numbers(1).first
            if dead
              db.run(Upkeep::ANEW, entry.ref, number, Store::Rewrite.anew(payload))
            else
              db.run(Upkeep::PROMOTE, entry.ref, number, Store::Rewrite.queued(payload))
            end
            revive_in_batch(db, batch) if dead && batch
            db.wake([queue])
            true
          end
        end
      end
    end
  end
end
