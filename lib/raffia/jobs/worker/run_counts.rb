# frozen_string_literal: true

require_relative "../tally"
require_relative "histogram"

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
        # Series with labels of few values.
        UNLIMITED = %w[wait store retries].freeze
        # Series in one message to the supervisor.
        PART = 200

        def initialize
          @lock = Raffia::SpinLock.new
          @series = Hash.new { |all, name| all[name] = {} }
          forget_runs
          @classes = {}
          @queues = {}
          @totals_before = {}
        end

        def done(queue, class_name, seconds)
          @lock.hold do
            total = run_total(queue, class_name)
            total[0] += 1
            total[1] += seconds
          end
        end

        # Further labels: of a failure its verdict, of a death its cause. Of an expired job only the
        # queue is known.
        def count(name, queue, *further, by: 1)
          @lock.hold { increase(name, labels(queue, *further), by) }
        end

        # Seconds between the time at which a job was due, and its begin.
        def waited(queue, seconds)
          @lock.hold { (@waits[queue] || new_wait(queue)).add(seconds) }
        end

        # Yields, and counts the seconds that a call of the store took.
        def time_call(name)
          began = Clock.now
          yield
        ensure
          seconds = Clock.now - began
          @lock.hold { (@calls[name] ||= Histogram.new(BOUNDS["store"])).add(seconds) }
        end

        def store_retry(reason) = @lock.hold { increase("retries", [reason], 1) }

        # A total that somebody else counts: its growth since the last call is counted.
        def total(name, total, *labels)
          grown = total - @totals_before.fetch([name, labels], 0)
          return unless grown.positive?

          @totals_before[[name, labels]] = total
          count(name, *labels, by: grown)
        end

        # Totals of isolated workers by name.
        def isolated(totals)
          totals.each do |name, total|
            further = {"failed" => [""], "dead" => ["failure"]}.fetch(name, [])
            total(name, total, ISOLATED, ISOLATED, *further)
          end
        end

        # Jobs that this process has enqueued, by queue and class.
        def enqueued(totals)
          totals.each do |queue, classes|
            classes.each { |class_name, number| total("enqueued", number, queue, class_name) }
          end
        end

        # Jobs that claims have discarded, by queue.
        def expired(totals)
          totals.each { |queue, number| total("expired", number, queue) }
        end

        # Returns what was counted since the last call as Arrays of [name, labels, value], each
        # small enough for a message, and forgets it.
        def take
          rows = @lock.hold do
            add_runs
            @series.flat_map { |name, of| of.map { |labels, value| [name, labels, value] } }
              .tap { @series.clear }
          end
          rows.each_slice(PART).to_a
        end

        # Adds rows of {#take}.
        def add(rows)
          @lock.hold do
            rows.each do |name, labels, value|
              labels = labels(*labels) unless UNLIMITED.include?(name)
              increase(name, labels, value)
            end
          end
        end

        # Hash of name => labels => value.
        def to_h
          @lock.hold do
            add_runs
            @series.transform_values { |of| of.transform_values(&:dup) }
          end
        end

        private

        # Number and seconds of runs of a queue and a class, added to the series when those are
        # read, as {#waited} is: each job counts here.
        def run_total(queue, class_name)
          of_queue = @runs[queue] || new_runs(queue)
          of_queue[class_name] || begin
            total = @totals[labels(queue, class_name)] ||= [0, 0.0]
            (of_queue.size < CLASSES) ? of_queue[class_name] = total : total
          end
        end

        def new_runs(queue) = (@runs.size < QUEUES) ? @runs[queue] = {} : {}

        def add_runs
          @totals.each do |labels, (number, seconds)|
            increase("done", labels, number)
            increase("seconds", labels, seconds)
          end
          @waits_by_labels.each { |labels, histogram| increase("wait", labels, histogram.to_a) }
          @calls.each { |name, histogram| increase("store", [name], histogram.to_a) }
          forget_runs
        end

        def forget_runs
          @runs = {}
          @totals = {}
          @waits = {}
          @waits_by_labels = {}
          @calls = {}
        end

        # Queues beyond the first {QUEUES} share one.
        def new_wait(queue)
          labels = [known(@queues, queue, QUEUES)]
          histogram = @waits_by_labels[labels] ||= Histogram.new(BOUNDS["wait"])
          (@waits.size < QUEUES) ? @waits[queue] = histogram : histogram
        end

        def labels(queue, class_name = nil, *further)
          class_name &&= known(@classes, class_name, CLASSES)
          [known(@queues, queue, QUEUES), *class_name, *further]
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
      end
    end
  end
end
