# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        class Inspection < Store::Inspection
          NAMES = "SELECT name, paused FROM {queues}"
          # From name to name, each counted in its part of the index.
          SIZES = "WITH RECURSIVE names (name) AS (SELECT min(queue) FROM {jobs} " \
            "WHERE state = 'queue' UNION ALL SELECT (SELECT min(queue) FROM {jobs} " \
            "WHERE state = 'queue' AND queue > name) FROM names WHERE name IS NOT NULL) " \
            "SELECT name, (SELECT count(*) FROM (SELECT 1 FROM {jobs} WHERE state = 'queue' " \
            "AND queue = name LIMIT $1) AS few) FROM names WHERE name IS NOT NULL"
          # The oldest of each priority, from the highest one on.
          FIRST = "SELECT priority, payload FROM {jobs} WHERE state = 'queue' AND queue = $1 " \
            "AND priority <= $2 ORDER BY priority DESC, pass, place LIMIT 1"
          HIGHEST = 2**63 - 1
          ALL = HIGHEST
          # Conditions of sets, each in the form of its index.
          WHERE = {
            queue: "state = 'queue'",
            scheduled: "state IN ('scheduled', 'retry') AND state = 'scheduled'",
            retry: "state IN ('scheduled', 'retry') AND state = 'retry'",
            blocked: "state = 'blocked'",
            running: "token IS NOT NULL", dead: "state = 'dead'"
          }.freeze
          ORDER = Hash.new("at, id").merge!(queue: "queue, priority DESC, pass, place", blocked: "place",
            dead: "at DESC, id DESC").freeze
          COUNTS = WHERE.transform_values do |where|
            "(SELECT count(*) FROM (SELECT 1 FROM {jobs} WHERE #{where} LIMIT $1) AS few)"
          end.freeze
          TOTALS = %w[processed failed].map do |name|
            "coalesce((SELECT value FROM {counters} WHERE name = '#{name}'), 0)"
          end.freeze
          ENTRY = "state, queue, payload, at, id"

          # By the index of fair jobs.
          TENANTS = "SELECT fair_key, count(*) FROM (SELECT fair_key FROM {jobs} " \
            "WHERE state = 'queue' AND queue = $1 AND fair_key IS NOT NULL LIMIT $2) AS few " \
            "GROUP BY fair_key ORDER BY count(*) DESC, fair_key LIMIT $3"

          needs :database, :tenant_pauses

          def countable = @database.countable

          def queues(most: nil)
            @database.read do |db|
              sizes = sizes(db, most || ALL)
              # A process that remembers a name does not insert it again after another one has
              # cleared it.
              sizes.transform_values { 0 }.merge(db.rows(NAMES).to_h).sort.map do |name, paused|
                {"name" => name, "size" => sizes[name].to_i, "paused" => paused == 1,
                 "latency" => sizes[name] ? latency(db, name) : 0}
              end
            end
          end

          def counts(most: nil)
            sql = "SELECT #{[*COUNTS.values, *TOTALS].join(", ")}"
            values = @database.read { |db| db.rows(sql, most || ALL) }.first
            [*COUNTS.keys, :processed, :failed].zip(values).to_h
          end

          def entries(set, queue: nil, offset: 0, limit: 50, match: nil)
            where = [WHERE.fetch(set)]
            where << "queue = $3" if queue
            where << "{contains payload $#{queue ? 4 : 3}}" if match
            sql = "SELECT #{ENTRY} FROM {jobs} WHERE #{where.join(" AND ")} ORDER BY " \
            "#{ORDER[set]} LIMIT $1 OFFSET $2"
            select(sql, limit, offset, *queue, *match)
          end

          def find(jid, most: nil)
            newest = "(SELECT jid, #{ENTRY} FROM {jobs} ORDER BY id DESC LIMIT $2) AS newest"
            sql = "SELECT #{ENTRY} FROM #{most ? newest : "{jobs}"} WHERE jid = $1 LIMIT 1"
            select(sql, jid, *most).first
          end

          def tenants(queue, limit: 20, most: 10_000)
            @database.read do |db|
              list_tenants(db.rows(TENANTS, queue, most, limit), @tenant_pauses.names(db, queue))
            end
          end

          private

          def sizes(db, most) = db.rows(SIZES, most).to_h

          def select(sql, *params)
            @database.read { |db| db.rows(sql, *params) }.map do |state, queue, payload, at, id|
              Entry.new(set: state.to_sym, queue: queue, payload: payload, at: at, ref: id)
            end
          end

          def latency(db, queue)
            priority = HIGHEST
            times = []
            while (priority, payload = db.rows(FIRST, queue, priority).first)
              times << Payload.fields(payload)["enqueued_at"]
              priority -= 1
            end
            seconds_since(times)
          end
        end
      end
    end
  end
end
