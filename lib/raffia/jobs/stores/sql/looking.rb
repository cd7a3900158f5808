# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # How people and tools look at jobs, see {Store}.
        # @api private
        module Looking
          QUEUES = "SELECT q.name, coalesce(w.size, 0), coalesce({now} - w.oldest, 0), q.paused FROM {queues} AS q LEFT JOIN " \
            "(SELECT queue, count(*) AS size, min(at) AS oldest FROM {jobs} WHERE state = 'queue' GROUP BY queue) AS w ON w.queue = q.name ORDER BY q.name"
          # Each as its index has it.
          WHERE = {
            queue: "state = 'queue'", scheduled: "state IN ('scheduled', 'retry') AND state = 'scheduled'",
            retry: "state IN ('scheduled', 'retry') AND state = 'retry'", blocked: "limit_key IS NOT NULL AND state = 'blocked'",
            running: "token IS NOT NULL", dead: "state = 'dead'"
          }.freeze
          ORDER = Hash.new("at, id").merge!(queue: "queue, priority DESC, place", dead: "at DESC, id DESC").freeze
          COUNTS = WHERE.transform_values { |where| "(SELECT count(*) FROM {jobs} WHERE #{where})" }.freeze
          TOTALS = %w[processed failed].map { |name| "coalesce((SELECT value FROM {counters} WHERE name = '#{name}'), 0)" }.freeze
          ENTRY = "state, queue, payload, at, id"

          def queues
            rows = reading { |db| db.rows(QUEUES) }
            rows.map { |name, size, latency, paused| {"name" => name, "size" => size, "latency" => latency.clamp(0..).to_f, "paused" => paused == 1} }
          end

          def counts
            values = reading { |db| db.rows("SELECT #{[*COUNTS.values, *TOTALS].join(", ")}") }.first
            [*COUNTS.keys, :processed, :failed].zip(values).to_h
          end

          def entries(set, queue: nil, offset: 0, limit: 50, match: nil)
            where = [WHERE.fetch(set), ("queue = $3" if queue), ("{contains payload $4}" if match)].compact.join(" AND ")
            sql = "SELECT #{ENTRY} FROM {jobs} WHERE #{where} ORDER BY #{ORDER[set]} LIMIT $1 OFFSET $2"
            sql = sql.sub("$4", "$3") unless queue
            reading { |db| db.rows(sql, limit, offset, *queue, *match) }.map { |row| entry(*row) }
          end

          # There is no index for this.
          def find(jid) = reading { |db| db.rows("SELECT #{ENTRY} FROM {jobs} WHERE jid = $1 LIMIT 1", jid) }.map { |row| entry(*row) }.first

          private

          def entry(state, queue, payload, at, id) = Entry.new(set: state.to_sym, queue: queue, payload: payload, at: at, ref: id)
        end
      end
    end
  end
end
