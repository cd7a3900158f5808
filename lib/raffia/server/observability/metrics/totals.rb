# frozen_string_literal: true

require_relative "histogram"

module Raffia
  class Server
    module Observability
      module Metrics
        # The counters of all workers at one moment, added up.
        #
        # @api private
        class Totals
          # @param pids [Array<Integer>] of live workers: gauges of others do not count
          def initialize(memory, pids)
            # Most lanes have never been used.
            used = (0...memory.size).step(Layout::SIZE)
              .reject { |first| memory[first + Layout::GAUGE[:pid]].zero? }
            @lanes = used.map { |first| memory.to_a(first, Layout::SIZE) }
            @alive = @lanes.select { |lane| pids.include?(lane[Layout::GAUGE[:pid]]) }
          end

          def requests = sum(Layout::REQUESTS)
          def received = sum(Layout::RECEIVED)
          def sent = sum(Layout::SENT)

          # @return [Hash{String => Integer}] responses by class, such as "2xx"
          def classes = (1..5).to_h { |digit| ["#{digit}xx", sum(Layout::CLASSES + digit - 1)] }

          # @return [Hash{String => Integer}] requests that the server refused, by status
          def refusals
            {**Layout::REFUSAL.transform_keys(&:to_s), "other" => Layout::OTHER_REFUSAL}
              .transform_values { |index| sum(index) }
          end

          # @param name [Symbol] of {Layout::COUNTED}
          def counted(name) = sum(Layout::COUNTER.fetch(name))

          # @return [Histogram]
          def duration = histogram(Layout::DURATION)

          # @return [Histogram]
          def queued = histogram(Layout::QUEUED)

          # @param name [Symbol] of {Layout::GAUGES}
          # @return [Integer] of all workers together
          def gauge(name) = @alive.sum { |lane| lane[Layout::GAUGE.fetch(name)] }

          # @return [Integer] a gauge of the worker that has most of it
          def highest(name) = @alive.map { |lane| lane[Layout::GAUGE.fetch(name)] }.max || 0

          # @return [Hash{Symbol => Integer}, nil] one worker's gauges
          def worker(pid)
            lane = @alive.find { |one| one[Layout::GAUGE[:pid]] == pid } or return
            {requests: lane[Layout::REQUESTS],
             **Layout::GAUGE.transform_values { |index| lane[index] }}
          end

          private

          def sum(index) = @lanes.sum { |lane| lane[index] }

          def histogram(first)
            Histogram.new((first...first + Layout::HISTOGRAM).map { |index| sum(index) })
          end
        end
      end
    end
  end
end
