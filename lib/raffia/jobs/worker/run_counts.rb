# frozen_string_literal: true

require_relative "../tally"

module Raffia
  module Jobs
    class Worker
      # Counts runs by queue and class, for monitoring. A worker hands its supervisor what it
      # counted since the last time ({#take}, {#add}), so that counters outlive the worker.
      #
      # A series is a name and its labels: a number, or an Array of bucket counts and their sum.
      # Names that come after the first {CLASSES} classes or {QUEUES} queues count as {OTHER}:
      # monitoring keeps each label for ever.
      # @api private
      class RunCounts
        CLASSES = 500
        QUEUES = 200
        OTHER = "(other)"
        # Runs of suspects, which have processes of their own, count here.
        ISOLATED = "(isolated)"
        # Upper ends of buckets in seconds, by the name of a histogram.
        BOUNDS = {
          "wait" => Tally::BOUNDS.map { |bound| bound / 1e3 }.freeze,
          "store" => [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0,
            2.0, 5.0, 10.0].freeze
        }.freeze
        # Series in one message to the supervisor.
        PART = 200

        def initialize
          @lock = Raffia::SpinLock.new
          @series = Hash.new { |all, name| all[name] = {} }
          @classes = {}
          @queues = {}
          @isolated = {}
        end

        def done(queue, class_name, seconds)
          @lock.hold do
            labels = labels(queue, class_name)
            increase("done", labels, 1)
            increase("seconds", labels, seconds)
          end
        end

        # Further labels: of a failure its verdict, of a death its cause.
        def count(name, queue, class_name, *further, by: 1)
          @lock.hold { increase(name, labels(queue, class_name) + further, by) }
        end

        # Seconds between the time at which a job was due, and its begin.
        def waited(queue, seconds)
          @lock.hold { observe("wait", [known(@queues, queue, QUEUES)], seconds) }
        end

        # Yields, and counts the seconds that a call of the store took.
        def time_call(name)
          began = Clock.now
          yield
        ensure
          seconds = Clock.now - began
          @lock.hold { observe("store", [name], seconds) }
        end

        def store_retry(reason) = @lock.hold { increase("retries", [reason], 1) }

        # Totals of isolated workers by name: the growth since the last call is counted.
        def isolated(totals)
          totals.each do |name, total|
            grown = total - @isolated.fetch(name, 0)
            next unless grown.positive?

            @isolated[name] = total
            further = {"failed" => [""], "dead" => ["failure"]}.fetch(name, [])
            count(name, ISOLATED, ISOLATED, *further, by: grown)
          end
        end

        # Returns what was counted since the last call as Arrays of [name, labels, value], each
        # small enough for a message, and forgets it.
        def take
          rows = @lock.hold do
            @series.flat_map { |name, of| of.map { |labels, value| [name, labels, value] } }
              .tap { @series.clear }
          end
          rows.each_slice(PART).to_a
        end

        # Adds rows of {#take}.
        def add(rows)
          @lock.hold do
            rows.each do |name, labels, value|
              labels = labels(*labels) if %w[done seconds failed dead crashed].include?(name)
              increase(name, labels, value)
            end
          end
        end

        # Hash of name => labels => value.
        def to_h = @lock.hold { @series.transform_values { |of| of.transform_values(&:dup) } }

        private

        def labels(queue, class_name, *further)
          [known(@queues, queue, QUEUES), known(@classes, class_name, CLASSES), *further]
        end

        def known(names, name, most)
          return name if names.key?(name)
          return OTHER if names.size >= most

          names[name] = true
          name
        end

        def increase(name, labels, by)
          of = @series[name]
          before = of[labels]
          of[labels] = before ? combined(before, by) : by
        end

        def combined(before, by) = by.is_a?(Array) ? before.zip(by).map(&:sum) : before + by

        def observe(name, labels, seconds)
          bounds = BOUNDS.fetch(name)
          row = @series[name][labels] ||= Array.new(bounds.size + 2, 0)
          row[bounds.index { |bound| seconds <= bound } || bounds.size] += 1
          row[-1] += seconds
        end
      end
    end
  end
end
