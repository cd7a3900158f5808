# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class SQL < Store
        class Statistics < Store::Statistics
          TOTAL = "INSERT INTO {counters existing} (name, value) VALUES ($1, $2) " \
            "{upsert name} value = {existing value} + {excluded value}"
          DAY = "INSERT INTO {days existing} (day, processed, failed) VALUES ($1, $2, $3) " \
            "{upsert day} processed = {existing processed} + {excluded processed}, failed = " \
            "{existing failed} + {excluded failed}"
          MINUTE = "INSERT INTO {minutes} (class, minute, processed, failed, ms, histogram) " \
            "VALUES ($1, $2, $3, $4, $5, $6) {upsert class,minute} processed = " \
            "{excluded processed}, failed = {excluded failed}, ms = {excluded ms}, histogram = " \
            "{excluded histogram}"
          SO_FAR = "SELECT processed, failed, ms, histogram FROM {minutes} WHERE class = $1 " \
            "AND minute = $2"
          SINCE = "SELECT class, minute, processed, failed, ms, histogram FROM {minutes} " \
            "WHERE minute > $1 ORDER BY class, minute"
          DAYS = "SELECT day, processed, failed FROM {days} ORDER BY day DESC LIMIT $1"
          NONE = [0, 0, 0.0, "[]"].freeze
          BUCKETS = Tally::BOUNDS.size + 1

          needs :database

          def history(days = 30)
            rows = @database.read { |db| db.rows(DAYS, days) }
            rows.to_h do |day, processed, failed|
              [day, {"processed" => processed, "failed" => failed}]
            end
          end

          def metrics(minutes = 60)
            rows = @database.read { |db| db.rows(SINCE, Time.now.to_i / 60 - minutes) }
            rows.group_by(&:first).transform_values { |some| some.map { |row| minute(*row) } }
          end

          def add(db, tally)
            now = Time.now.utc
            db.lock("statistics")
            db.run(TOTAL, "processed", tally.processed) if tally.processed > 0
            db.run(TOTAL, "failed", tally.failed) if tally.failed > 0
            db.run(DAY, now.strftime("%F"), tally.processed, tally.failed)
            tally.classes.each { |name, counts| add_class(db, name, now.to_i / 60, counts) }
          end

          private

          def minute(_class, minute, processed, failed, ms, histogram)
            {"at" => minute * 60, "processed" => processed, "failed" => failed, "ms" => ms,
             "histogram" => JSON.parse(histogram)}
          end

          def add_class(db, name, minute, counts)
            processed, failed, ms, histogram = db.rows(SO_FAR, name, minute).first || NONE
            before = JSON.parse(histogram)
            more = counts["histogram"] || []
            histogram = Array.new(BUCKETS) { |index| before[index].to_i + more[index].to_i }
            db.run(MINUTE, name, minute, processed + counts["processed"].to_i,
              failed + counts["failed"].to_i, ms + counts["ms"].to_f, JSON.generate(histogram))
          end
        end
      end
    end
  end
end
