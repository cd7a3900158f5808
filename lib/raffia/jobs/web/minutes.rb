# frozen_string_literal: true

module Raffia
  module Jobs
    class Web
      # Counts by the minute, as charts want them: also the minutes in which nothing was done.
      # @api private
      module Minutes
        module_function

        # @param rows [Array<Hash>] as {Store#metrics} gives them, of one class or of several
        # @param minutes [Integer] until now
        # @return [Array<Array(Integer, Integer, Integer, Float)>] time, processed, failed,
        #   milliseconds of the mean run
        def sum(rows, minutes)
          by_time = rows.group_by { |row| row["at"].to_i / 60 * 60 }
          last = Time.now.to_i / 60 * 60 - 60 # the running minute would look like a fall
          (last - (minutes - 1) * 60).step(last, 60).map { |at| [at, *total(by_time[at] || [])] }
        end

        def total(rows)
          processed, failed, ms = %w[processed failed ms].map { |name|
            rows.sum { |row| row[name] || 0 }
          }
          [processed, failed, mean(processed, failed, ms)]
        end

        # @return [Float] of those that were done
        def mean(processed, failed, ms)
          (processed > failed) ? (ms.to_f / (processed - failed)).round(1) : 0.0
        end
      end
    end
  end
end
