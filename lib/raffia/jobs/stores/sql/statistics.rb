# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        # What has been done, in numbers: ever, by the day (of UTC), and by class and minute.
        # @api private
        module Statistics
          TOTAL = "INSERT INTO {counters} AS c (name, value) VALUES ($1, $2) ON CONFLICT (name) " \
            "DO UPDATE SET value = c.value + excluded.value"
          DAY = "INSERT INTO {days} AS d (day, processed, failed) VALUES ($1, $2, $3) " \
            "ON CONFLICT (day) DO UPDATE SET processed = d.processed + excluded.processed, " \
            "failed = d.failed + excluded.failed"
          MINUTE = "INSERT INTO {minutes} (class, minute, processed, failed, ms, histogram) " \
          "VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (class, minute) " \
            "DO UPDATE SET processed = excluded.processed, failed = excluded.failed, ms = " \
            "excluded.ms, histogram = excluded.histogram"
          SO_FAR = "SELECT processed, failed, ms, histogram FROM {minutes} WHERE class = $1 AND " \
            "minute = $2"
          SINCE = "SELECT class, minute, processed, failed, ms, histogram FROM {minutes} WHERE " \
            "minute > $1 ORDER BY class, minute"
          NONE = [0, 0, 0.0, "[]"].freeze
          BUCKETS = Tally::BOUNDS.size + 1

          def history(days = 30)
            rows = reading do |db|
              db.rows("SELECT day, processed, failed FROM {days} ORDER BY day DESC LIMIT $1", days)
            end
            rows.to_h do |day, processed, failed|
              [day, {"processed" => processed, "failed" => failed}]
            end
          end

          def metrics(minutes = 60)
            rows = reading { |db| db.rows(SINCE, Time.now.to_i / 60 - minutes) }
            rows.group_by(&:first).transform_values do |of_class|
              of_class.map { |row| minute(*row) }
            end
          end

          private

          def minute(_class, minute, processed, failed, ms, histogram)
            {"at" => minute * 60, "processed" => processed, "failed" => failed, "ms" => ms,
             "histogram" => JSON.parse(histogram)}
          end

          # @param tally [Tally]
          def count(db, tally)
            now = Time.now.utc
            db.lock("statistics")
            {"processed" => tally.processed, "failed" => tally.failed}.each do |name, count|
              db.run(TOTAL, name, count) if count > 0
            end
            db.run(DAY, now.strftime("%F"), tally.processed, tally.failed)
            tally.classes.each { |name, done| count_class(db, name, now.to_i / 60, done) }
          end

          def count_class(db, name, minute, done)
            processed, failed, ms, histogram = db.rows(SO_FAR, name, minute).first || NONE
            before = JSON.parse(histogram)
            counts = done["histogram"] || []
            counts = Array.new(BUCKETS) { |index| before[index].to_i + counts[index].to_i }
            db.run(MINUTE, name, minute, processed + done["processed"].to_i,
              failed + done["failed"].to_i, ms + done["ms"].to_f, JSON.generate(counts))
          end
        end
      end
    end
  end
end
