# frozen_string_literal: true

require_relative "histogram"

module Raffia
  class Server
    module Observability
      module Metrics
        # What stands on a board at one moment, all lanes added up.
        #
        # @api private
        class Totals
          # @param board [Native::SharedCounters]
          # @param pids [Array<Integer>] of the workers that are alive: what others have left in
          #   their gauges is past
          def initialize(board, pids)
            # Most lanes have never been used.
            used = (0...board.size).step(Layout::SIZE)
              .reject { |first| board[first + Layout::GAUGE[:pid]].zero? }
            @lanes = used.map { |first| board.to_a(first, Layout::SIZE) }
            @alive = @lanes.select { |lane| pids.include?(lane[Layout::GAUGE[:pid]]) }
          end

          def requests = sum(Layout::REQUESTS)
          def received = sum(Layout::RECEIVED)
          def sent = sum(Layout::SENT)

          # @return [Hash{String => Integer}] answers by class: "2xx" and so on
          def classes = (1..5).to_h { |digit| ["#{digit}xx", sum(Layout::CLASSES + digit - 1)] }

          # @return [Hash{String => Integer}] requests that the server refused by itself, by status
          def refusals
            {**Layout::REFUSAL.transform_keys(&:to_s),
              "other" => Layout::OTHER_REFUSAL}.transform_values { |index| sum(index) }
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

          # @param name [Symbol]
          # @return [Integer] of the worker that has most of it
          def highest(name) = @alive.map { |lane| lane[Layout::GAUGE.fetch(name)] }.max || 0

          # @return [Hash{Symbol => Integer}, nil] what one worker shows
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
