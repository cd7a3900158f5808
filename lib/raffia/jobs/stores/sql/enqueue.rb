# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # See {Store#enqueue}.
        # @api private
        module Enqueue
          INSERT = "INSERT INTO {jobs} (id, jid, queue, place, at, payload) VALUES ($1, $2, $3, " \
            "$1, {now}, $4)"
          INSERT_SPECIAL = "INSERT INTO {jobs} (id, jid, queue, state, priority, place, at, " \
          "special, expires_at, limit_key, limit_max, unique_key, " \
            "unique_start, batch, payload) VALUES ($1, $2, $3, CASE WHEN $4 > {now} THEN " \
            "'scheduled' ELSE 'queue' END, $5, $1, " \
            "CASE WHEN $4 > {now} THEN $4 ELSE {now} END, $6, $7, $8, $9, $10, $11, $12, $13)"

          def enqueue(drafts, guard: nil)
            writing do |db|
              next if guard && !change(db, guard.key, guard.value, guard.expect, nil)

              keep(db, drafts)
            end
          end

          private

          # @return [Array<String, nil>] ids
          def keep(db, drafts)
            name_queues(db, drafts.map(&:queue).uniq)
            numbers = db.numbers(drafts.size)
            ids = drafts.zip(numbers).map { |draft, number| keep_one(db, draft, number) }
            db.wake(drafts.map(&:queue).uniq)
            ids
          end

          def keep_one(db, draft, number)
            return keep_special(db, draft, number) if draft.at || draft.extras

            db.run(INSERT, number, draft.jid, draft.queue, draft.payload)
            draft.jid
          end

          def keep_special(db, draft, number)
            own = draft.extras || {}
            unique = own["unique"]
            return if unique && !admitted?(db, unique, number)

            batch = own["batch"]
            add_to_batch(db, batch, 1) if batch
            insert_special(db, draft, number, own)
            draft.jid
          end

          def insert_special(db, draft, number, own)
            limit, unique = own.values_at("limit", "unique")
            key = unique["key"] if unique && unique["until"] != "window"
            special = (own["expires_at"] || limit || key || own["batch"]) ? 1 : 0
            db.run(INSERT_SPECIAL, number, draft.jid, draft.queue, draft.at&.to_f,
              Store::Death.priority(own), special, own["expires_at"]&.to_f,
              limit && limit["key"], limit &&
                limit["max"], key, (key && unique["until"] == "start") ? 1 : 0, own["batch"],
              draft.payload)
          end

          # @return [Boolean]
          # @raise [NotUnique]
          def admitted?(db, unique, number)
            key = unique["key"]
            return true if lock(db, unique, number)

            case unique["conflict"]
            when "raise" then raise NotUnique.new(key: key)
            when "replace" then replace(db, key, unique, number)
            else false
            end
          end

          # The one that waits is gone as if it were done; the lock is this one's now.
          def replace(db, key, unique, number)
            *row, state = replaceable(db, key)
            return false unless state

            db.run("DELETE FROM {jobs} WHERE id = $1", row[0])
            db.run("DELETE FROM {uniques} WHERE key = $1", key)
            lock(db, unique, number)
            left(db, [row], :done, next_one: state == "queue")
            true
          end

          # Queues stay known when they are empty.
          def name_queues(db, names)
            names.each do |name|
              db.run("INSERT INTO {queues} (name) VALUES ($1) ON CONFLICT (name) DO NOTHING", name)
            end
          end
        end
      end
    end
  end
end
