# frozen_string_literal: true

require_relative "../tally"

module Raffia
  module Jobs
    class Worker
      # Metrics of a worker as integers on a board in memory that its supervisor reads. Counters
      # outlive the worker: the next one of its slot goes on counting where it ended.
      #
      # @api private
      class SharedMetrics
        # Only grow. `microseconds` is the duration of all successful runs.
        COUNTERS = %i[processed failed retried dead microseconds].freeze
        # Of the present worker.
        GAUGES = %i[pid busy concurrency].freeze
        # Durations of successful runs, see {Tally::BOUNDS}.
        BUCKETS = Tally::BOUNDS.size + 1
        FIRST_BUCKET = COUNTERS.size + GAUGES.size
        # Integers on a board.
        SIZE = FIRST_BUCKET + BUCKETS
        INDEX = [*COUNTERS, *GAUGES].each_with_index.to_h.freeze
        GAUGE_INDEXES = COUNTERS.size...FIRST_BUCKET
        private_constant :INDEX, :GAUGE_INDEXES

        # @param boards [Array<#[]>]
        # @param pids [Array<Integer>] of live workers
        # @return [Hash{Symbol => Integer, Array<Integer>}] sums over all boards
        def self.read(boards, pids)
          alive = boards.select { |board| pids.include?(board[INDEX[:pid]]) }
          counters = COUNTERS.to_h { |name| [name, boards.sum { |board| board[INDEX[name]] }] }
          gauges = %i[busy concurrency].to_h do |name|
            [name, alive.sum { |board| board[INDEX[name]] }]
          end
          histogram = Array.new(BUCKETS) do |index|
            boards.sum { |board| board[FIRST_BUCKET + index] }
          end
          {**counters, **gauges, histogram: histogram}
        end

        # No job runs any more; counters stay.
        # @param board [#[]=]
        # @return [void]
        def self.idle(board)
          board[INDEX[:busy]] = 0
        end

        # @return [Integer, nil] of the worker that writes to the board
        def self.pid(board) = board[INDEX[:pid]]

        # @return [#[]]
        attr_reader :board

        # @param board [#[], #[]=, nil] nil: one of its own, for a worker without a supervisor
        # @param concurrency [Integer]
        def initialize(board, concurrency)
          @board = board || Array.new(SIZE, 0)
          @written = Array.new(SIZE, 0)
          {pid: ::Process.pid, busy: 0, concurrency: concurrency}.each do |name, value|
            @board[INDEX[name]] = value
          end
        end

        # @param totals [Hash{Symbol => Integer, Array<Integer>}] see {Metrics#totals}
        # @param busy [Integer]
        # @param isolated [Array<#[]>] boards of isolated workers, which count as part of this one
        # @return [void]
        def write(totals, busy, isolated = [])
          values = [*totals.fetch_values(*COUNTERS), *Array.new(GAUGES.size, 0),
            *totals.fetch(:histogram)]
          values.each_with_index do |value, index|
            unless GAUGE_INDEXES.cover?(index)
              add(index, value + isolated.sum { |board| board[index] })
            end
          end
          @board[INDEX[:busy]] = busy + isolated.sum { |board| board[INDEX[:busy]] }
        end

        private

        def add(index, total)
          @board[index] += total - @written[index]
          @written[index] = total
        end
      end
    end
  end
end
