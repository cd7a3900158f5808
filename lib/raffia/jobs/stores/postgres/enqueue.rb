# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Postgres < SQL
        # Adds plain jobs in one statement, and so in one round trip.
        class Enqueue < SQL::Enqueue
          INSERT_ALL = "WITH draft AS (SELECT nextval('{numbers}') AS id, {now} AS now, d.* FROM " \
            "unnest($1::text[], $2::text[], $3::float8[], $4::bigint[], $5::bytea[]) AS d (jid, " \
            "queue, due, priority, payload)), kept AS (INSERT INTO {jobs} (id, jid, queue, " \
            "state, priority, place, at, payload) SELECT id, jid, queue, CASE WHEN due > now " \
            "THEN 'scheduled' ELSE 'queue' END, priority, id, greatest(due, now), payload " \
            "FROM draft) SELECT pg_notify(name, '') FROM unnest($6::text[]) AS name"
          # Fields that make a job's end mean more than its removal.
          SPECIAL = %w[unique limit batch expires_at rate fair flow workflow].freeze

          def enqueue(drafts, precondition: nil)
            queues = drafts.map(&:queue).uniq
            @names.publish(queues)
            return super if precondition || drafts.any? { |draft| special?(draft) }

            channels = @database.dialect.channels(queues)
            @database.read { |db| db.rows(INSERT_ALL, *arrays(drafts), channels) }
            drafts.map(&:jid)
          end

          private

          def special?(draft) = draft.extras && SPECIAL.any? { |field| draft.extras[field] }

          def arrays(drafts)
            drafts.map do |draft|
              priority = draft.extras ? Store::CrashVerdict.priority(draft.extras) : 0
              [draft.jid, draft.queue, draft.at&.to_f, priority, draft.payload.b]
            end.transpose.then { |columns| columns.empty? ? Array.new(5) { [] } : columns }
          end
        end
      end
    end
  end
end
