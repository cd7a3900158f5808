# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # Counts jobs of batches, with the effects on parents and callbacks.
        # @api private
        class BatchCounter
          ADD = "UPDATE {batches} SET total = total + $2, pending = pending + $2 WHERE id = $1"
          ENDED = "UPDATE {batches} SET pending = pending - $2, dead = dead + $3 WHERE id = $1"
          REVIVED = "UPDATE {batches} SET pending = pending + 1, dead = dead - 1 WHERE id = $1"
          STATE = "SELECT pending, dead, sealed, completed_at, parent, dead_in_parent, callbacks " \
            "FROM {batches} WHERE id = $1 {lock}"
          Counts = Struct.new(:pending, :dead, :sealed, :completed_at, :parent, :dead_in_parent,
            :callbacks)

          def self.dump(callbacks)
            JSON.generate(callbacks.transform_values { |draft| draft.to_h.except(:extras) })
          end

          # The block enqueues callbacks.
          def initialize(&enqueue)
            @enqueue = enqueue
          end

          def add(db, id, count)
            return if db.run(ADD, id, count) == 1

            raise Error, Store::Batches.missing(id)
          end

          # `counts` has numbers of jobs by batch; `how` is :done or :dead.
          def ended(db, counts, how)
            counts.each do |id, count|
              settle(db, id) if db.run(ENDED, id, count, (how == :dead) ? count : 0) == 1
            end
          end

          # Counts a dead job that is tried again.
          def revived(db, id) = db.run(REVIVED, id)

          def seal(db, id)
            settle(db, id) if db.run("UPDATE {batches} SET sealed = 1 WHERE id = $1", id) == 1
          end

          private

          # Callbacks come first: the parent must count those that belong to it before this batch
          # ends.
          def settle(db, id)
            batch = Counts.new(*db.rows(STATE, id).first)
            complete = batch.sealed == 1 && batch.pending.zero?
            call_back(db, id, batch, complete)
            return unless complete

            unless batch.completed_at
              db.run("UPDATE {batches} SET completed_at = {now} WHERE id = $1", id)
            end
            update_parent(db, id, batch) if batch.parent
          end

          def call_back(db, id, batch, complete)
            callbacks = JSON.parse(batch.callbacks)
            due = events(batch, complete).filter_map { |event| callbacks.delete(event) }
            return if due.empty?

            db.run("UPDATE {batches} SET callbacks = $2 WHERE id = $1", id,
              JSON.generate(callbacks))
            @enqueue.call(db, due.map { |draft| load(draft) })
          end

          def events(batch, complete)
            [("death" if batch.dead > 0), ("complete" if complete),
              ("success" if complete && batch.dead.zero?)]
          end

          def load(draft)
            jid, queue, payload, at = draft.values_at("jid", "queue", "payload", "at")
            Draft.new(jid: jid, queue: queue, payload: payload, at: at,
              extras: Payload.load(payload)[Payload::OWN])
          end

          def update_parent(db, id, batch)
            return count_in_parent(db, id, batch) unless batch.completed_at
            return unless batch.dead_in_parent == 1 && batch.dead.zero?

            db.run("UPDATE {batches} SET dead_in_parent = 0 WHERE id = $1", id)
            db.run("UPDATE {batches} SET dead = dead - 1 WHERE id = $1", batch.parent)
            settle(db, batch.parent)
          end

          def count_in_parent(db, id, batch)
            dead = batch.dead > 0
            db.run("UPDATE {batches} SET dead_in_parent = 1 WHERE id = $1", id) if dead
            ended(db, {batch.parent => 1}, dead ? :dead : :done)
          end
        end
      end
    end
  end
end
