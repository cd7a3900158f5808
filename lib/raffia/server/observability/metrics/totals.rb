# frozen_string_literal: true

require_relative "../../../service/histogram"
require_relative "layout"

module Raffia
  class Server
    module Observability
      module Metrics
        # Sums of all workers' counters at one moment.
        #
        # @api private
        class Totals
          # Seconds.
          BOUNDS = Native::SharedCounters::BOUNDS.map { |bound| bound / 1e6 }.freeze
          private_constant :BOUNDS

          # Gauges count only for live workers, by `pids`.
          def initialize(memory, pids)
            # Most parts have never been used.
            used = (0...memory.size).step(Layout::SIZE)
              .reject { |first| memory[first + Layout::GAUGE[:pid]].zero? }
            @parts = used.map { |first| memory.to_a(first, Layout::SIZE) }
            @alive = @parts.select { |part| pids.include?(part[Layout::GAUGE[:pid]]) }
          end

          def requests = sum(Layout::REQUESTS)
          def received = sum(Layout::RECEIVED)
          def sent = sum(Layout::SENT)

          def classes = (1..5).to_h { |digit| ["#{digit}xx", sum(Layout::CLASSES + digit - 1)] }

          def refusals
            {**Layout::REFUSAL.transform_keys(&:to_s), "other" => Layout::OTHER_REFUSAL}
              .transform_values { |index| sum(index) }
          end

          def moved = Layout::MOVED.transform_values { |name| counted(name) }

          def counted(name) = sum(Layout::COUNTER.fetch(name))

          def duration = histogram(Layout::DURATION)

          def queued = histogram(Layout::QUEUED)

          def gauge(name) = @alive.sum { |part| part[Layout::GAUGE.fetch(name)] }

          # The highest value of all workers.
          def highest(name) = @alive.map { |part| part[Layout::GAUGE.fetch(name)] }.max || 0

          def worker(pid)
            part = @alive.find { |one| one[Layout::GAUGE[:pid]] == pid } or return
            {requests: part[Layout::REQUESTS],
             **Layout::GAUGE.transform_values { |index| part[index] }}
          end

          private

          def sum(index) = @parts.sum { |part| part[index] }

          def histogram(first)
            *counts, microseconds =
              (first...first + Layout::HISTOGRAM).map { |index| sum(index) }
            Service::Histogram.new(counts, BOUNDS, microseconds / 1e6)
          end
        end
      end
    end
  end
end
