# frozen_string_literal: true

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Shares the keys of Sidekiq's Web.
        class Statistics < Store::Statistics
          # Seconds that days are kept.
          DAYS = 5 * 365 * 86_400
          # And ten minutes, and a minute.
          TEN_MINUTES = 3 * 86_400
          MINUTE = 8 * 3600
          BUCKETS = Array.new(Tally::BOUNDS.size + 1) { |index| ["GET", "u16", "##{index}".freeze] }
            .flatten.freeze
          FIELDS = {"p" => "processed", "f" => "failed", "ms" => "ms"}.freeze

          needs :redis, :format

          def add(tally)
            return if tally.nil? || tally.processed.zero?

            version = @format.version
            now = Time.now.utc
            @redis.with do |connection|
              connection.pipelined { |pipeline| write(pipeline, tally, version, now) }
            end
          end

          def history(days = 30)
            today = Time.now.utc
            dates = Array.new(days) { |ago| (today - ago * 86_400).strftime("%Y-%m-%d") }
            counts = %w[processed failed].map do |name|
              @redis.call("MGET", *dates.map { |date| "stat:#{name}:#{date}" })
            end
            dates.zip(*counts).filter_map { |date, processed, failed|
              next unless processed || failed

              [date, {"processed" => processed.to_i, "failed" => failed.to_i}]
            }.to_h
          end

          def metrics(minutes = 60)
            now = Time.now.to_i / 60 * 60
            times = Array.new(minutes) { |ago| Time.at(now - ago * 60).utc }.reverse
            version = @format.version
            @redis.with(safe: true) do |connection|
              rows = read_counts(connection, version, times)
              histograms = read_histograms(connection, version, rows)
              rows.zip(histograms).each_with_object({}) do |(row, histogram), found|
                name, time, counts = row
                (found[name] ||= []) << {"at" => time.to_i, **counts, "histogram" => histogram}
              end
            end
          end

          private

          def write(pipeline, tally, version, now)
            day = now.strftime("%Y-%m-%d")
            add_total(pipeline, "processed", tally.processed, day)
            add_total(pipeline, "failed", tally.failed, day)
            periods(version, now).each do |key, ttl|
              add_classes(pipeline, tally.classes, key, ttl)
            end
            tally.classes.each do |name, counts|
              add_histogram(pipeline, histogram_key(version, name, now), counts["histogram"])
            end
          end

          def add_total(pipeline, name, count, day)
            pipeline.call("INCRBY", "stat:#{name}", count)
            pipeline.call("INCRBY", "stat:#{name}:#{day}", count)
            pipeline.call("EXPIRE", "stat:#{name}:#{day}", DAYS)
          end

          def add_classes(pipeline, classes, key, ttl)
            return if classes.empty?

            classes.each do |name, counts|
              FIELDS.each do |field, kind|
                count = counts[kind].to_f.round
                pipeline.call("HINCRBY", key, "#{name}|#{field}", count) if count.positive?
              end
            end
            pipeline.call("EXPIRE", key, ttl)
          end

          # Numbers of 16 bits, which stay at their highest.
          def add_histogram(pipeline, key, counts)
            return if counts.nil? || counts.all?(0)

            steps = counts.each_with_index.flat_map do |count, index|
              count.positive? ? ["INCRBY", "u16", "##{index}", count] : []
            end
            pipeline.call("BITFIELD", key, "OVERFLOW", "SAT", *steps)
            pipeline.call("EXPIRE", key, MINUTE)
          end

          # Class, time and counts.
          def read_counts(connection, version, times)
            minutes = connection.pipelined do |pipeline|
              times.each { |time| pipeline.call("HGETALL", minute_key(version, time)) }
            end
            times.zip(minutes).flat_map do |time, fields|
              by_class(fields).map { |name, counts| [name, time, counts] }
            end
          end

          def by_class(fields)
            fields.each_with_object({}) do |(field, count), classes|
              name, _, kind = field.rpartition("|")
              counts = classes[name] ||= {"processed" => 0, "failed" => 0, "ms" => 0}
              counts[FIELDS.fetch(kind)] = count.to_i
            end
          end

          def read_histograms(connection, version, rows)
            connection.pipelined do |pipeline|
              rows.each do |name, time, _|
                pipeline.call("BITFIELD", histogram_key(version, name, time), *BUCKETS)
              end
            end
          end

          # Keys of counts by class, and seconds that they are kept.
          def periods(version, time)
            minute = minute_key(version, time)
            (version == 7) ? {minute => MINUTE} : {minute[0..-2] => TEN_MINUTES, minute => MINUTE}
          end

          # The key that this version of Sidekiq's Web reads.
          def minute_key(version, time)
            time.strftime((version == 7) ? "j|%Y%m%d|%-H:%-M" : "j|%y%m%d|%-H:%M")
          end

          # (see #minute_key)
          def histogram_key(version, name, time)
            return "#{name}-#{time.strftime("%d-%H:%-M")}" if version == 7

            "h|#{name}-#{time.strftime("%-d-%-H:%-M")}"
          end
        end
      end
    end
  end
end
