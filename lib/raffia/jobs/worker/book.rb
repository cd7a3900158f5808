# frozen_string_literal: true

require_relative "../../task"
require_relative "../store/values"

module Raffia
  module Jobs
    class Worker
      # Counts what has been done since the last sign of life, which is another thread's.
      #
      # @api private
      class Book
        def initialize
          @guard = Raffia::Guard.new
          start
        end

        # @param name [String] of the class
        # @param seconds [Float, nil] that it took; nil: it failed
        # @return [void]
        def count(name, seconds) = @guard.hold { add_up(name, seconds) }

        # @return [Tally, nil] nil when nothing was done
        def take = @guard.hold { bundle unless @processed.zero? }

        # The store has not got it: it counts with what comes next.
        # @param tally [Tally, nil]
        # @return [void]
        def put_back(tally)
          return unless tally

          @guard.hold do
            @processed += tally.processed
            @failed += tally.failed
            @classes = tally.classes.merge(@classes) { |_, old, new| add(old, new) }
          end
        end

        private

        def add_up(name, seconds)
          row = @classes[name] ||= {"processed" => 0, "failed" => 0, "ms" => 0.0, "histogram" => Array.new(Tally::BOUNDS.size + 1, 0)}
          @processed += 1
          row["processed"] += 1
          return fail(row) unless seconds

          ms = seconds * 1000
          row["ms"] += ms
          row["histogram"][Tally::BOUNDS.index { |bound| ms <= bound } || -1] += 1
        end

        def bundle
          @classes.each_value { |row| row["ms"] = row["ms"].round(3) }
          Tally.new(processed: @processed, failed: @failed, classes: @classes).tap { start }
        end

        def start
          @processed = @failed = 0
          @classes = {}
        end

        def fail(row)
          @failed += 1
          row["failed"] += 1
        end

        def add(old, new)
          {"histogram" => old["histogram"].zip(new["histogram"]).map(&:sum),
           **%w[processed failed ms].to_h { |name| [name, old[name] + new[name]] }}
        end
      end
    end
  end
end
