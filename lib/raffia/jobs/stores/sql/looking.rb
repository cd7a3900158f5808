# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # How people and tools look at jobs, see {Store}.
        # @api private
        module Looking
          NAMES = "SELECT name, paused FROM {queues}"
          # From name to name, and each counted in its part of the index.
          SIZES = "WITH RECURSIVE names (name) AS (SELECT min(queue) FROM {jobs} WHERE state = 'queue' UNION ALL " \
            "SELECT (SELECT min(queue) FROM {jobs} WHERE state = 'queue' AND queue > name) FROM names WHERE name IS NOT NULL) " \
            "SELECT name, (SELECT count(*) FROM (SELECT 1 FROM {jobs} WHERE state = 'queue' AND queue = name LIMIT $1) AS few) FROM names WHERE name IS NOT NULL"
          # The oldest of each priority, from the highest one on.
          FIRST = "SELECT priority, payload FROM {jobs} WHERE state = 'queue' AND queue = $1 AND priority <= $2 ORDER BY priority DESC, place LIMIT 1"
          HIGHEST = 2**63 - 1
          # More rows than any table has.
          ALL = HIGHEST
          # Each as its index has it.
          WHERE = {
            queue: "state = 'queue'", scheduled: "state IN ('scheduled', 'retry') AND state = 'scheduled'",
            retry: "state IN ('scheduled', 'retry') AND state = 'retry'", blocked: "limit_key IS NOT NULL AND state = 'blocked'",
            running: "token IS NOT NULL", dead: "state = 'dead'"
          }.freeze
          ORDER = Hash.new("at, id").merge!(queue: "queue, priority DESC, place", blocked: "place", dead: "at DESC, id DESC").freeze
          COUNTS = WHERE.transform_values { |where| "(SELECT count(*) FROM (SELECT 1 FROM {jobs} WHERE #{where} LIMIT $1) AS few)" }.freeze
          TOTALS = %w[processed failed].map { |name| "coalesce((SELECT value FROM {counters} WHERE name = '#{name}'), 0)" }.freeze
          ENTRY = "state, queue, payload, at, id"

          def queues(most: nil)
            reading do |db|
              sizes = db.rows(SIZES, most || ALL).to_h
              # A name that one process has cleared may be known to another, which does not write it down again.
              sizes.transform_values { 0 }.merge(db.rows(NAMES).to_h).sort.map do |name, paused|
                {"name" => name, "size" => sizes[name].to_i, "latency" => sizes[name] ? latency(db, name) : 0, "paused" => paused == 1}
              end
            end
          end

          def counts(most: nil)
            values = reading { |db| db.rows("SELECT #{[*COUNTS.values, *TOTALS].join(", ")}", most || ALL) }.first
            [*COUNTS.keys, :processed, :failed].zip(values).to_h
          end

          def entries(set, queue: nil, offset: 0, limit: 50, match: nil)
            where = [WHERE.fetch(set), ("queue = $3" if queue), ("{contains payload $4}" if match)].compact.join(" AND ")
            sql = "SELECT #{ENTRY} FROM {jobs} WHERE #{where} ORDER BY #{ORDER[set]} LIMIT $1 OFFSET $2"
            sql = sql.sub("$4", "$3") unless queue
            reading { |db| db.rows(sql, limit, offset, *queue, *match) }.map { |row| entry(*row) }
          end

          # There is no index for this.
          def find(jid, most: nil)
            rows = most ? "(SELECT jid, #{ENTRY} FROM {jobs} ORDER BY id DESC LIMIT $2) AS newest" : "{jobs}"
            reading { |db| db.rows("SELECT #{ENTRY} FROM #{rows} WHERE jid = $1 LIMIT 1", jid, *most) }.map { |row| entry(*row) }.first
          end

          private

          def latency(db, queue)
            priority = HIGHEST
            times = []
            while (priority, payload = db.rows(FIRST, queue, priority).first)
              times << enqueued_at(payload)
              priority -= 1
            end
            since = times.compact.min
            since ? (Time.now.to_f - since).clamp(0..) : 0
          end

          def enqueued_at(payload)
            Payload.time(Payload.load(payload)["enqueued_at"])
          rescue BadPayload
            nil
          end

          def entry(state, queue, payload, at, id) = Entry.new(set: state.to_sym, queue: queue, payload: payload, at: at, ref: id)
        end
      end
    end
  end
end
