# frozen_string_literal: true

require_relative "profile"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # Counts, where Sidekiq's Web looks for them: totals and days, and of each class by minutes
        # and by ten minutes.
        #
        # @api private
        module Statistics
          # Seconds that they are kept: five years, three days, eight hours.
          DAYS = 5 * 365 * 86_400
          MIDDLE = 3 * 86_400
          SHORT = 8 * 3600

          module_function

          # @param tally [Tally]
          # @param version [Integer] of Sidekiq
          # @param now [Time] UTC
          # @return [void]
          def write(pipeline, tally, version, now)
            totals(pipeline, {"processed" => tally.processed, "failed" => tally.failed},
              now.strftime("%Y-%m-%d"))
            buckets(version, now).each { |key, ttl| classes(pipeline, tally.classes, key, ttl) }
            tally.classes.each do |name, numbers|
              histogram(pipeline, histogram_key(version, name, now), numbers["histogram"])
            end
          end

          # @return [Hash{String => Integer}] keys of the counts by class, and how long they are
          #   kept
          def buckets(version, now)
            return {now.strftime("j|%Y%m%d|%-H:%-M") => SHORT} if version == 7

            minute = minute_key(version, now)
            {minute[0..-2] => MIDDLE, minute => SHORT}
          end

          # @return [String] of the counts of a minute
          def minute_key(version, time)
            time.strftime((version == 7) ? "j|%Y%m%d|%-H:%-M" : "j|%y%m%d|%-H:%M")
          end

          # @return [String] of the histogram of a class in a minute
          def histogram_key(version, name, time)
            if version == 7
              "#{name}-#{time.strftime("%d-%H:%-M")}"
            else
              "h|#{name}-#{time.strftime("%-d-%-H:%-M")}"
            end
          end

          def totals(pipeline, counts, day)
            counts.each do |name, count|
              pipeline.call("INCRBY", "stat:#{name}", count)
              pipeline.call("INCRBY", "stat:#{name}:#{day}", count)
              pipeline.call("EXPIRE", "stat:#{name}:#{day}", DAYS)
            end
          end

          def classes(pipeline, classes, key, ttl)
            return if classes.empty?

            classes.each do |name, numbers|
              {"p" => numbers["processed"], "f" => numbers["failed"],
               "ms" => numbers["ms"].to_f.round}.each do |field, count|
                pipeline.call("HINCRBY", key, "#{name}|#{field}", count) if count.to_i.positive?
              end
            end
            pipeline.call("EXPIRE", key, ttl)
          end

          # 26 numbers of 16 bits, which stay at their highest.
          def histogram(pipeline, key, counts)
            return if counts.nil? || counts.all?(0)

            steps = counts.each_with_index
              .flat_map do |count, index|
                count.positive? ? ["INCRBY", "u16", "##{index}", count] : []
              end
            pipeline.call("BITFIELD", key, "OVERFLOW", "SAT", *steps)
            pipeline.call("EXPIRE", key, SHORT)
          end
        end
      end
    end
  end
end
