# frozen_string_literal: true

require_relative "statistics"

module Raffia
  module Jobs
    module Stores
      class Redis < Store
        # What was done, as {Statistics} has written it, or Sidekiq.
        module History
          # Reads a histogram.
          BUCKETS = Array.new(Tally::BOUNDS.size + 1) { |index| ["GET", "u16", "##{index}".freeze] }
            .flatten.freeze

          # @see Store#history
          def history(days = 30)
            today = Time.now.utc
            dates = Array.new(days) { |ago| (today - ago * 86_400).strftime("%Y-%m-%d") }
            processed, failed = redis(safe: true) do |connection|
              %w[processed failed].map do |name|
                connection.call("MGET", *dates.map { |date| "stat:#{name}:#{date}" })
              end
            end
            rows = dates.zip(processed, failed).select { |_, *counts| counts.any? }
            rows.to_h { |date, *counts| [date, %w[processed failed].zip(counts.map(&:to_i)).to_h] }
          end

          # @see Store#metrics
          def metrics(minutes = 60)
            version = @dialect.version
            now = Time.now.to_i / 60 * 60
            times = Array.new(minutes) { |ago| Time.at(now - ago * 60).utc }.reverse
            redis(safe: true) do |connection|
              counts = connection.pipelined do |pipeline|
                times.each { |time| pipeline.call("HGETALL", Statistics.minute_key(version, time)) }
              end
              rows = times.zip(counts).flat_map do |time, fields|
                by_class(fields).map { |name, numbers| [name, time, numbers] }
              end
              histograms = connection.pipelined do |pipeline|
                rows.each { |name, time, _| histogram(pipeline, version, name, time) }
              end
              rows.zip(histograms).each_with_object({}) do |((name, time, numbers), histogram), found|
                (found[name] ||= []) << {"at" => time.to_i, **numbers, "histogram" => histogram}
              end
            end
          end

          private

          def by_class(fields)
            fields.each_with_object({}) do |(field, count), classes|
              name, _, kind = field.rpartition("|")
              numbers = classes[name] ||= {"processed" => 0, "failed" => 0, "ms" => 0}
              numbers[{"p" => "processed", "f" => "failed", "ms" => "ms"}.fetch(kind)] = count.to_i
            end
          end

          def histogram(pipeline, version, name, time)
            pipeline.call("BITFIELD", Statistics.histogram_key(version, name, time), *BUCKETS)
          end
        end
      end
    end
  end
end
