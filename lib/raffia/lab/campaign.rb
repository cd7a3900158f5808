# frozen_string_literal: true

require_relative "environment"
require_relative "outcome"
require_relative "rows"
require_relative "session"

module Raffia
  module Lab
    # Runs selections, one experiment after the other. Each round of runs of an experiment has a new
    # shuffled order, so that a machine that slows down slows all cells alike.
    class Campaign
      # Seed of the shuffling; the same seed gives the same order.
      attr_reader :seed

      # counters: names and perf events to count in each run.
      def initialize(selections, stop:, progress:, seed: Random.new_seed % 1_000_000,
        cores: Environment.cores, counters: {})
        @selections = selections
        @stop = stop
        @progress = progress
        @seed = seed
        @random = Random.new(seed)
        @cores = cores
        @counters = counters
      end

      # Yields and returns the outcome of each experiment, of an interrupted one too.
      def call(&block)
        prepared = @selections.map { |selection| prepare(selection) }
        @progress.start(prepared.flat_map(&:last))
        prepared.each_with_object([]) do |(selection, obstacles, cells), outcomes|
          break outcomes if @stop.requested?
          outcomes << run(selection, obstacles, cells).tap(&block)
        end
      end

      private

      # The selection, its obstacles, and its cells in the order of their runs.
      def prepare(selection)
        obstacles = Environment.missing.merge(selection.experiment.obstacles(selection.params))
        cells = selection.cells.reject { |cell| obstacles.key?(cell.variant) }
        [selection, obstacles, Array.new(selection.runs) { cells.shuffle(random: @random) }.flatten]
      end

      def run(selection, obstacles, cells)
        results = Hash.new { |hash, cell| hash[cell] = [] }
        finished = run_cells(selection, cells, results)
        Outcome.of(Rows.new(selection, results, obstacles, @cores), finished:)
      end

      # Returns false when a stop was requested.
      def run_cells(selection, cells, results)
        params = JSON.parse(JSON.generate(selection.params), symbolize_names: true)
        cells.each do |cell|
          # A variant that failed once will fail again, perhaps after as long a wait.
          next @progress.finished(cell) if results[cell].any? { |run| run[:error] }
          @progress.running(cell)
          results[cell] <<
            Session.new(selection.experiment, cell, params, @stop, counters: @counters).call
          @progress.finished(cell)
        end
        true
      rescue StopSignal::Requested
        false
      end
    end
  end
end
