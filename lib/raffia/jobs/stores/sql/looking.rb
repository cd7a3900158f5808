# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # How people and tools look at jobs, see {Store}.
        # @api private
        module Looking
          NAMES = "SELECT name, paused FROM {queues}"
          # By priority, because that is how the index has them.
          SIZES = "SELECT queue, priority, count(*), min(place) FROM {jobs} WHERE state = 'queue' GROUP BY queue, priority"
          FIRST = "SELECT payload FROM {jobs} WHERE state = 'queue' AND queue = $1 AND priority = $2 AND place = $3"
          # Each as its index has it.
          WHERE = {
            queue: "state = 'queue'", scheduled: "state IN ('scheduled', 'retry') AND state = 'scheduled'",
            retry: "state IN ('scheduled', 'retry') AND state = 'retry'", blocked: "limit_key IS NOT NULL AND state = 'blocked'",
            running: "token IS NOT NULL", dead: "state = 'dead'"
          }.freeze
          ORDER = Hash.new("at, id").merge!(queue: "queue, priority DESC, place", blocked: "place", dead: "at DESC, id DESC").freeze
          COUNTS = WHERE.transform_values { |where| "(SELECT count(*) FROM {jobs} WHERE #{where})" }.freeze
          TOTALS = %w[processed failed].map { |name| "coalesce((SELECT value FROM {counters} WHERE name = '#{name}'), 0)" }.freeze
          ENTRY = "state, queue, payload, at, id"

          def queues
            reading do |db|
              lines = db.rows(SIZES).group_by(&:first)
              # A name that one process has cleared may be known to another, which does not write it down again.
              lines.transform_values { 0 }.merge(db.rows(NAMES).to_h).sort.map do |name, paused|
                of_queue = lines[name] || []
                {"name" => name, "size" => of_queue.sum { |line| line[2] }, "latency" => latency(db, of_queue), "paused" => paused == 1}
              end
            end
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

          def latency(db, lines)
            firsts = lines.flat_map { |queue, priority, _, place| db.rows(FIRST, queue, priority, place).flatten }
            since = firsts.filter_map { |payload| enqueued_at(payload) }.min
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
