# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        module Batches
          # A batch is told of its jobs, and tells its parent and its callbacks.
          # @api private
          module Told
            STATE = "SELECT pending, dead, sealed, completed_at, parent, dead_in_parent, " \
              "callbacks FROM {batches} WHERE id = $1 {lock}"
            State = Struct.new(:pending, :dead, :sealed, :completed_at, :parent, :dead_in_parent,
              :callbacks)

            private

            # @raise [Error]
            def add_to_batch(db, id, count)
              if db.run("UPDATE {batches} SET total = total + $2, pending = pending + $2 WHERE " \
                "id = $1", id, count) == 1
                return
              end

              raise Error, "there is no batch #{id}: it was not opened here, or has been thrown " \
                "away since it ended"
            end

            # @param counts [Hash{String => Integer}] batch => how many jobs of it have come to
            #   their end
            # @param how [Symbol] :done or :dead
            def tell_batches(db, counts, how)
              counts.each do |id, count|
                dead = (how == :dead) ? count : 0
                changed = db.run("UPDATE {batches} SET pending = pending - $2, dead = dead + $3 " \
                  "WHERE id = $1", id, count, dead)
                settle_batch(db, id) if changed == 1
              end
            end

            # Dead ones are tried again.
            def revive_in_batch(db, id)
              db.run("UPDATE {batches} SET pending = pending + 1, dead = dead - 1 WHERE id = $1",
                id)
            end

            # Callbacks are kept before the parent is told, so that it counts those that belong to
            # it before this batch does not count any more.
            def settle_batch(db, id)
              batch = State.new(*db.rows(STATE, id).first)
              complete = batch.sealed == 1 && batch.pending.zero?
              call_back(db, id, batch, complete)
              return unless complete

              unless batch.completed_at
                db.run("UPDATE {batches} SET completed_at = {now} WHERE id = $1", id)
              end
              tell_parent(db, id, batch) if batch.parent
            end

            def call_back(db, id, batch, complete)
              callbacks = JSON.parse(batch.callbacks)
              events = [("death" if batch.dead > 0), ("complete" if complete),
                ("success" if complete && batch.dead.zero?)]
              due = events.filter_map { |event| callbacks.delete(event) }
              return if due.empty?

              db.run("UPDATE {batches} SET callbacks = $2 WHERE id = $1", id,
                JSON.generate(callbacks))
              keep(db, due.map { |packed| unpack(packed) })
            end

            def tell_parent(db, id, batch)
              return first_told(db, id, batch) unless batch.completed_at
              return unless batch.dead_in_parent == 1 && batch.dead.zero?

              db.run("UPDATE {batches} SET dead_in_parent = 0 WHERE id = $1", id)
              db.run("UPDATE {batches} SET dead = dead - 1 WHERE id = $1", batch.parent)
              settle_batch(db, batch.parent)
            end

            def first_told(db, id, batch)
              dead = batch.dead > 0
              db.run("UPDATE {batches} SET dead_in_parent = 1 WHERE id = $1", id) if dead
              tell_batches(db, {batch.parent => 1}, dead ? :dead : :done)
            end
          end
        end
      end
    end
  end
end
