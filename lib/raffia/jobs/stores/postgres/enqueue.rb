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
          # Types of what the base class finds in the fields under "raffia", and of the turn.
          COLUMNS = {
            "special" => "smallint", "expires_at" => "float8", "limit_key" => "text",
            "limit_max" => "bigint", "unique_key" => "text", "unique_start" => "smallint",
            "batch" => "text", "rate" => "text", "rate_key" => "text", "rate_cost" => "bigint",
            "fair_key" => "text", "fair_weight" => "float8", "workflow" => "text",
            "node" => "text", "pass" => "bigint"
          }.freeze
          INSERT_COLUMNS = INSERT_ALL
            .sub("$5::bytea[]", "$5::bytea[], " + COLUMNS.values.each_with_index.map { |type, index|
              "$#{index + 7}::#{type}[]"
            }.join(", "))
            .sub("payload)), kept", "payload, #{COLUMNS.keys.join(", ")})), kept")
            .sub("at, payload) SELECT", "at, payload, #{COLUMNS.keys.join(", ")}) SELECT")
            .sub("greatest(due, now), payload", "\\0, #{COLUMNS.keys.join(", ")}").freeze
          # The last turn of many keys.
          LASTS = "SELECT queue, priority, key, (SELECT pass FROM {jobs} AS job " \
            "WHERE job.queue = wanted.queue AND state = 'queue' AND fair_key = key " \
            "AND job.priority = wanted.priority ORDER BY pass DESC LIMIT 1) " \
            "FROM unnest($1::text[], $2::bigint[], $3::text[]) AS wanted (queue, priority, key)"
          # In the order in which ends of jobs free them.
          LOCK_KEYS = "SELECT 1 FROM {uniques} WHERE key = ANY($1::text[]) " \
            "ORDER BY key COLLATE \"C\" {lock}"
          # Fields that make a job more than a row.
          SPECIAL = %w[unique batch flow workflow].freeze
          # Fields that are columns.
          SIMPLE = %w[limit expires_at rate fair].freeze

          def enqueue(drafts, precondition: nil)
            queues = drafts.map(&:queue).uniq
            @names.publish(queues)
            return super if precondition || drafts.any? { |draft| any?(draft, SPECIAL) }

            channels = @database.dialect.channels(queues)
            if drafts.any? { |draft| any?(draft, SIMPLE) }
              insert_columns(drafts, channels)
            else
              @database.read { |db| db.rows(INSERT_ALL, *arrays(drafts), channels) }
            end
            drafts.map(&:jid)
          end

          # Several unique keys are locked before the first job is added. Keys that do not exist yet
          # are made by one such transaction at a time. An application's may take long, and does not
          # hold up others.
          def insert(db, drafts)
            keys = drafts.filter_map { |draft| draft.extras&.dig("unique", "key") }.uniq
            if keys.size > 1
              db.lock("uniques") if db.own?
              db.rows(LOCK_KEYS, keys)
            end
            super
          end

          private

          def any?(draft, fields) = draft.extras && fields.any? { |field| draft.extras[field] }

          def insert_columns(drafts, channels)
            @database.write do |db|
              turns = turns(db, drafts)
              rows = drafts.map { |draft| columns_of(draft, turns) }
              db.rows(INSERT_COLUMNS, *arrays(drafts), channels, *rows.transpose)
            end
          end

          def columns_of(draft, turns)
            extras = draft.extras || {}
            [*columns(extras), turns.next(draft.queue, priority(draft), extras["fair"])]
          end

          # One query for all keys.
          def turns(db, drafts)
            wanted = drafts.filter_map do |draft|
              fair = draft.extras && draft.extras["fair"]
              [draft.queue, priority(draft), fair["key"]] if fair
            end.uniq
            lasts = wanted.empty? ? [] : db.rows(LASTS, *wanted.transpose)
            SQL::FairTurns.new(db, lasts.to_h { |*key, pass| [key, pass] })
          end

          def priority(draft)
            draft.extras ? Store::CrashVerdict.priority(draft.extras) : 0
          end

          def arrays(drafts)
            drafts.map do |draft|
              [draft.jid, draft.queue, draft.at&.to_f, priority(draft), draft.payload.b]
            end.transpose.then { |columns| columns.empty? ? Array.new(5) { [] } : columns }
          end
        end
      end
    end
  end
end
