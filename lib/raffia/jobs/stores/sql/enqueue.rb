# frozen_string_literal: true

require_relative "rows_statement"

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        class Enqueue < Store::Enqueue
          INSERT = "INSERT INTO {jobs} (id, jid, queue, place, at, payload) " \
            "VALUES ($1, $2, $3, $1, {now}, $4)"
          COLUMNS = "id, jid, queue, state, priority, place, at, special, expires_at, " \
            "limit_key, limit_max, unique_key, unique_start, batch, rate, rate_key, rate_cost, " \
            "fair_key, fair_weight, workflow, node, pass, payload"
          INSERT_SPECIAL = "INSERT INTO {jobs} (#{COLUMNS}) VALUES " \
            "($1, $2, $3, CASE WHEN $4 > {now} THEN 'scheduled' " \
            "ELSE 'queue' END, $5, $1, CASE WHEN $4 > {now} THEN $4 " \
            "ELSE {now} END, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, " \
            "$20, $21)".freeze
          # Steps of workflows, which begin by the hundred.
          INSERT_STEPS = RowsStatement.new("INSERT INTO {jobs} (#{COLUMNS})",
            "($1, $2, $3, 'queue', $4, $5, {now}, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, " \
            "$16, $17, $18, $19, $20, $21)")
          # Fields of jobs that need more than a row of their own, or an order.
          SINGLE = %w[unique batch flow].freeze
          TAKE_KEY = "INSERT INTO {uniques existing} (key, job, ends_at) " \
            "VALUES ($1, $2, {now} + $3) {upsert key} job = {excluded job}, " \
            "ends_at = {excluded ends_at} WHERE {existing ends_at} <= {now}"
          OWNER = "SELECT #{Cleanup::COLUMNS}, state FROM {jobs} WHERE id = (SELECT job " \
            "FROM {uniques} WHERE key = $1) AND state IN ('queue', 'scheduled', 'retry', " \
            "'blocked') AND workflow IS NULL {try_lock}"

          # Jobs that others may replace, by their numbers.
          REPLACEABLE = "SELECT id FROM {jobs} WHERE id IN (SELECT job FROM {uniques} " \
            "WHERE key {names $1}) AND state IN ('queue', 'scheduled', 'retry', 'blocked') " \
            "AND workflow IS NULL ORDER BY id {lock}"

          needs :database, :key_values, :counter, :cleanup, :names, :flow_table

          def enqueue(drafts, precondition: nil)
            @database.write do |db|
              lock_replaced(db, drafts)
              if precondition &&
                  !@key_values.change(db, precondition.key, precondition.value, precondition.expect)
                next
              end

              insert(db, drafts)
            end
          end

          # Adds jobs in the connection's transaction.
          def insert(db, drafts)
            queues = drafts.map(&:queue).uniq
            @names.add(db, queues)
            numbers = db.numbers(drafts.size)
            turns = FairTurns.new(db)
            ids = if drafts.size > 1 && drafts.all? { |draft| step?(draft) }
              insert_steps(db, drafts, numbers, turns)
            else
              drafts.zip(numbers).map { |draft, number| insert_one(db, draft, number, turns) }
            end
            db.wake(queues)
            ids
          end

          private

          # Jobs come before unique keys. One that is locked later is not replaced if another
          # transaction has it: on an application's connection, and at the end of a batch.
          def lock_replaced(db, drafts)
            uniques = drafts.filter_map { |draft| draft.extras && draft.extras["unique"] }
            keys = uniques.select { |unique| unique["conflict"] == "replace" }
              .map { |unique| unique["key"] }.uniq
            db.rows(REPLACEABLE, keys) if keys.any? && db.own?
          end

          def step?(draft)
            draft.at.nil? && draft.extras&.key?("workflow") &&
              SINGLE.none? { |field| draft.extras[field] }
          end

          # Turns of the same key follow each other without a look at the table.
          def insert_steps(db, drafts, numbers, turns)
            rows = drafts.zip(numbers).map do |draft, number|
              priority = Store::CrashVerdict.priority(draft.extras)
              pass = turns.next(draft.queue, priority, draft.extras["fair"])
              [number, draft.jid, draft.queue, priority, number, *columns(draft.extras), pass,
                draft.payload]
            end
            INSERT_STEPS.run(db, rows)
            drafts.map(&:jid)
          end

          def insert_one(db, draft, number, turns)
            return insert_special(db, draft, number, turns) if draft.at || draft.extras

            db.run(INSERT, number, draft.jid, draft.queue, draft.payload)
            draft.jid
          end

          def insert_special(db, draft, number, turns)
            extras = draft.extras || {}
            unique, batch = extras.values_at("unique", "batch")
            return if unique && !admitted?(db, unique, number)

            @counter.add(db, batch, 1) if batch
            priority = Store::CrashVerdict.priority(extras)
            pass = turns.next(draft.queue, priority, extras["fair"])
            db.run(INSERT_SPECIAL, number, draft.jid, draft.queue, draft.at&.to_f, priority,
              *columns(extras), pass, draft.payload)
            @flow_table.add(db, number, draft.jid, extras["flow"]) if extras["flow"]
            draft.jid
          end

          def columns(extras)
            limit, unique, expires_at, batch, rate, workflow = extras.values_at("limit", "unique",
              "expires_at", "batch", "rate", "workflow")
            key = unique["key"] if unique && unique["until"] != "window"
            special = (expires_at || limit || key || batch || rate || workflow) ? 1 : 0
            special = Cleanup::FLOW if extras["flow"]
            start = (key && unique["until"] == "start") ? 1 : 0
            [special, expires_at&.to_f, limit && limit["key"], limit && limit["max"], key, start,
              batch, *rate_columns(rate), *pair(extras["fair"], "key", "weight"),
              *pair(workflow, "id", "node")]
          end

          def pair(fields, one, other) = fields ? fields.values_at(one, other) : [nil, nil]

          def rate_columns(rate)
            return [nil, nil, nil] unless rate

            [JSON.generate(rate.except("key", "cost")), rate["key"], rate["cost"] || 1]
          end

          def admitted?(db, unique, number)
            key = unique["key"]
            return true if take_key?(db, unique, number)

            case unique["conflict"]
            when "raise" then raise NotUnique.new(key: key)
            when "replace" then replace(db, key, unique, number)
            else false
            end
          end

          def take_key?(db, unique, id)
            db.run(TAKE_KEY, unique["key"], id, unique["for"]&.to_f) == 1
          end

          # The waiting job counts as done, and the new one gets its key.
          def replace(db, key, unique, number)
            *row, state = db.rows(OWNER, key).first
            return false unless state

            db.run("DELETE FROM {jobs} WHERE id = $1", row[0])
            db.run("DELETE FROM {uniques} WHERE key = $1", key)
            take_key?(db, unique, number)
            @cleanup.ended(db, [row], :done, unblock: state == "queue")
            true
          end
        end
      end
    end
  end
end
