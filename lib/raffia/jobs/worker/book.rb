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
          @guard = Raffia::SpinLock.new
          @totals = {processed: 0, failed: 0, retried: 0, dead: 0, microseconds: 0}
          @histogram = Array.new(Tally::BOUNDS.size + 1, 0)
          start
        end

        # @param name [String] of the class
        # @param seconds [Float, nil] that it took; nil: it failed
        # @param verdict [Symbol, nil] what becomes of one that failed, see {Failure}
        # @return [void]
        def count(name, seconds, verdict = nil)
          @guard.hold do
            add_up(name, seconds)
            @totals[:processed] += 1
            @totals[:failed] += 1 unless seconds
            @totals[:retried] += 1 if verdict == :retry
            @totals[:dead] += 1 if verdict == :bury
          end
        end

        # @return [Hash{Symbol => Integer, Array<Integer>}] since the worker began, as {Meter}
        #   writes them
        def totals = @guard.hold { {**@totals, histogram: @histogram.dup} }

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
          row = @classes[name] ||= {"processed" => 0, "failed" => 0, "ms" => 0.0,
                                    "histogram" => Array.new(Tally::BOUNDS.size + 1, 0)}
          @processed += 1
          row["processed"] += 1
          return fail(row) unless seconds

          ms = seconds * 1000
          row["ms"] += ms
          bucket = Tally::BOUNDS.index { |bound| ms <= bound } || -1
          row["histogram"][bucket] += 1
          @histogram[bucket] += 1
          @totals[:microseconds] += (ms * 1000).round
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
