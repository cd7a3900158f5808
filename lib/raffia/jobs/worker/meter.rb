# frozen_string_literal: true

require_relative "../store/values"

module Raffia
  module Jobs
    class Worker
      # What a worker has done, as integers on a board that its supervisor reads. Counters outlive
      # the worker: the next one of its slot goes on counting where it ended.
      #
      # @api private
      class Meter
        # Only grow. Of `microseconds`: what runs that were done took.
        COUNTERS = %i[processed failed retried dead microseconds].freeze
        # Are the present worker's.
        GAUGES = %i[pid busy concurrency].freeze
        # Of the times of runs that were done, see {Tally::BOUNDS}.
        BUCKETS = Tally::BOUNDS.size + 1
        FIRST_BUCKET = COUNTERS.size + GAUGES.size
        # How many integers there are.
        SIZE = FIRST_BUCKET + BUCKETS
        WORD = [*COUNTERS, *GAUGES].each_with_index.to_h.freeze
        GAUGE_WORDS = COUNTERS.size...FIRST_BUCKET
        private_constant :WORD, :GAUGE_WORDS

        # @param boards [Array<#[]>]
        # @param pids [Array<Integer>] of those that live
        # @return [Hash{Symbol => Integer, Array<Integer>}] what all have done together
        def self.read(boards, pids)
          alive = boards.select { |board| pids.include?(board[WORD[:pid]]) }
          counters = COUNTERS.to_h { |name| [name, boards.sum { |board| board[WORD[name]] }] }
          gauges = %i[busy concurrency].to_h do |name|
            [name, alive.sum { |board| board[WORD[name]] }]
          end
          histogram = Array.new(BUCKETS) do |index|
            boards.sum { |board| board[FIRST_BUCKET + index] }
          end
          {**counters, **gauges, histogram: histogram}
        end

        # Jobs that have ended count; none runs now.
        # @param board [#[]=]
        # @return [void]
        def self.idle(board)
          board[WORD[:busy]] = 0
        end

        # @return [Integer, nil] whose board it is
        def self.pid(board) = board[WORD[:pid]]

        # @return [#[]] for a worker that has no supervisor
        attr_reader :board

        # @param board [#[], #[]=, nil] nil: one of its own
        # @param concurrency [Integer]
        def initialize(board, concurrency)
          @board = board || Array.new(SIZE, 0)
          @written = Array.new(SIZE, 0)
          {pid: ::Process.pid, busy: 0, concurrency: concurrency}.each do |name, value|
            @board[WORD[name]] = value
          end
        end

        # @param totals [Hash{Symbol => Integer, Array<Integer>}] since the worker began, see
        #   {Book#totals}
        # @param busy [Integer]
        # @param beside [Array<#[]>] boards of processes beside this one, which count as part of it
        # @return [void]
        def write(totals, busy, beside = [])
          numbers = [*totals.fetch_values(*COUNTERS), *Array.new(GAUGES.size, 0),
            *totals.fetch(:histogram)]
          numbers.each_with_index do |number, word|
            add(word, number + beside.sum { |board| board[word] }) unless GAUGE_WORDS.cover?(word)
          end
          @board[WORD[:busy]] = busy + beside.sum { |board| board[WORD[:busy]] }
        end

        private

        def add(word, total)
          @board[word] += total - @written[word]
          @written[word] = total
        end
      end
    end
  end
end
