# frozen_string_literal: true

require_relative "../tally"

module Raffia
  module Jobs
    class Worker
      # Metrics of a worker on a board in memory that its supervisor reads. Counters outlive the
      # worker: the next one of its slot goes on counting where it ended.
      # @api private
      class SharedMetrics
        # Only grow. `microseconds` is the duration of all successful runs.
        COUNTERS = %i[processed failed retried dead microseconds].freeze
        # The present worker's.
        GAUGES = %i[pid busy concurrency].freeze
        # Durations of successful runs, see {Tally::BOUNDS}.
        BUCKETS = Tally::BOUNDS.size + 1
        FIRST_BUCKET = COUNTERS.size + GAUGES.size
        # Integers on a board.
        SIZE = FIRST_BUCKET + BUCKETS
        INDEX = [*COUNTERS, *GAUGES].each_with_index.to_h.freeze
        GAUGE_INDEXES = COUNTERS.size...FIRST_BUCKET
        private_constant :INDEX, :GAUGE_INDEXES

        # Sums over all boards; gauges of the live workers with these pids only.
        def self.read(boards, pids)
          alive = boards.select { |board| pids.include?(pid(board)) }
          counters = COUNTERS.to_h { |name| [name, sum(boards, INDEX[name])] }
          gauges = %i[busy concurrency].to_h { |name| [name, sum(alive, INDEX[name])] }
          histogram = Array.new(BUCKETS) { |index| sum(boards, FIRST_BUCKET + index) }
          {**counters, **gauges, histogram: histogram}
        end

        # Totals of these boards by the name of a series in {RunCounts}.
        def self.totals(boards)
          processed, failed, dead = %i[processed failed dead].map { |name| sum(boards, INDEX[name]) }
          {"done" => processed - failed, "failed" => failed, "dead" => dead}
        end

        def self.sum(boards, word) = boards.sum { |board| board[word] }
        private_class_method :sum

        # No job runs any more; counters stay.
        def self.idle(board)
          board[INDEX[:busy]] = 0
        end

        def self.pid(board) = board[INDEX[:pid]]

        attr_reader :board

        # A worker without a supervisor has no board, and gets one of its own.
        def initialize(board, concurrency)
          @board = board || Array.new(SIZE, 0)
          @written = Array.new(SIZE, 0)
          {pid: ::Process.pid, busy: 0, concurrency: concurrency}.each do |name, value|
            @board[INDEX[name]] = value
          end
        end

        # Boards of isolated workers count as part of this one.
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
