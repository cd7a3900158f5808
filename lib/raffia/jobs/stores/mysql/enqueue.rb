# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class MySQL < SQL
        # Adds plain jobs in few statements, and locks unique keys in one order.
        class Enqueue < SQL::Enqueue
          ROWS = "INSERT INTO {jobs} (id, jid, queue, state, priority, place, at, payload) VALUES "
          ROW = "($1, $2, $3, IF($4 > {now}, 'scheduled', 'queue'), $5, $1, " \
            "IF($4 > {now}, $4, {now}), $6)"
          # The assignments are done in this order.
          TAKE_KEY = "INSERT INTO {uniques} (key, job, ends_at) VALUES ($1, $2, {now} + $3) " \
            "{upsert key} job = IF(ends_at <= {now}, {excluded job}, job), " \
            "ends_at = IF(ends_at <= {now}, {excluded ends_at}, ends_at)"
          OWNED = "SELECT job FROM {uniques} WHERE key = $1"
          # Fields that make a job's end mean more than its removal.
          SPECIAL = %w[unique limit batch expires_at rate fair flow workflow].freeze
          # Bytes of a statement; a server takes 16 MiB or more.
          MOST = 1024 * 1024

          def enqueue(drafts, precondition: nil)
            @names.publish(drafts.map(&:queue).uniq)
            super
          end

          def insert(db, drafts)
            lock_keys(db, drafts) if db.own?
            return super if drafts.any? { |draft| special?(draft) }

            queues = drafts.map(&:queue).uniq
            @names.add(db, queues)
            insert_plain(db, drafts)
            db.wake(queues)
            drafts.map(&:jid)
          end

          private

          # Before batches and limits. Those that do not exist yet cannot be locked, but only other
          # enqueues could make them.
          def lock_keys(db, drafts)
            keys = drafts.filter_map { |draft| draft.extras&.dig("unique", "key") }.uniq.sort
            return if keys.empty?

            db.lock_in_order(keys.map { |key| "unique:#{key}" })
            keys.each { |key| db.rows(SQL::Claims::LOCK_KEY, key) }
          end

          def special?(draft) = draft.extras && SPECIAL.any? { |field| draft.extras[field] }

          def insert_plain(db, drafts)
            row = @database.dialect.statement(ROW)
            text = nil
            drafts.zip(db.numbers(drafts.size)) do |draft, number|
              text = text ? text << "," : @database.dialect.text(ROWS).b
              text << row.bind(db, values(draft, number))
              next if text.bytesize < MOST

              db.change(text)
              text = nil
            end
            db.change(text) if text
          end

          def values(draft, number)
            priority = draft.extras ? Store::CrashVerdict.priority(draft.extras) : 0
            [number, draft.jid, draft.queue, draft.at&.to_f, priority, draft.payload]
          end

          # The number of rows changed would tell, were it not the application's connection that
          # decides what it counts.
          def take_key?(db, unique, id)
            db.run(TAKE_KEY, unique["key"], id, unique["for"]&.to_f)
            db.rows(OWNED, unique["key"]) == [[id]]
          end
        end
      end
    end
  end
end
