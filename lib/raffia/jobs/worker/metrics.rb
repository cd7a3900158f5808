# frozen_string_literal: true

module Raffia
  module Jobs
    class Worker
      # Counts finished runs. The heartbeat takes the counts in another thread.
      # @api private
      class Metrics
        def initialize
          @lock = Raffia::SpinLock.new
          @processed = @failed = @retried = @dead = @microseconds = 0
          @histogram = new_histogram
          @classes = {}
        end

        # Without seconds it failed, with a verdict of {RetryPolicy}.
        def count(class_name, seconds, verdict = nil)
          @lock.hold do
            row = @classes[class_name] ||= {"processed" => 0, "failed" => 0, "ms" => 0.0,
                                            "histogram" => new_histogram}
            @processed += 1
            row["processed"] += 1
            seconds ? count_success(row, seconds * 1000) : count_failure(row, verdict)
          end
        end

        # Since the worker began.
        def totals
          @lock.hold do
            {processed: @processed, failed: @failed, retried: @retried, dead: @dead,
             microseconds: @microseconds, histogram: @histogram.dup}
          end
        end

        # The counts since the last call, as a {Tally}; nil when nothing has ended.
        def take = @lock.hold { tally unless @classes.empty? }

        # Counts again what the store did not get.
        def put_back(tally)
          return unless tally

          @lock.hold do
            @classes = tally.classes.merge(@classes) { |_, old, new| add(old, new) }
          end
        end

        private

        def new_histogram = Array.new(Tally::BOUNDS.size + 1, 0)

        def count_success(row, milliseconds)
          bucket = Tally::BOUNDS.index { |bound| milliseconds <= bound } || -1
          row["ms"] += milliseconds
          row["histogram"][bucket] += 1
          @histogram[bucket] += 1
          @microseconds += (milliseconds * 1000).round
        end

        def count_failure(row, verdict)
          row["failed"] += 1
          @failed += 1
          @retried += 1 if verdict == :retry
          @dead += 1 if verdict == :bury
        end

        def tally
          rows = @classes
          @classes = {}
          rows.each_value { |row| row["ms"] = row["ms"].round(3) }
          Tally.new(processed: sum(rows, "processed"), failed: sum(rows, "failed"), classes: rows)
        end

        def sum(rows, field) = rows.each_value.sum { |row| row[field] }

        def add(old, new)
          {"histogram" => old["histogram"].zip(new["histogram"]).map(&:sum),
           **%w[processed failed ms].to_h { |name| [name, old[name] + new[name]] }}
        end
      end
    end
  end
end
