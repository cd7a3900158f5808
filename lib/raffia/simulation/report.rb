# frozen_string_literal: true

module Raffia
  module Simulation
    # The result of an exploration.
    class Report
      # @return [Failure, nil] the first failure
      attr_reader :failure

      # @return [Integer] runs until the failure, or all
      attr_reader :runs

      # @return [Integer] the seed of the exploration
      attr_reader :seed

      # @return [Float] real seconds that it took
      attr_reader :seconds

      # @return [Array<String>] files of the failure: its schedule in the corpus, its page
      attr_reader :files

      # @return [Array<Races::Race>] with races: true, the data races of all runs, also those that
      #   are harmless on CRuby
      attr_reader :races

      # @return [Array<String>] what may be wrong though no run failed of it: locks taken in
      #   different orders, signals that were lost, livelocks of unfair schedules
      attr_reader :warnings

      # @api private
      def initialize(failure:, runs:, seed:, seconds:, files: [], exhausted: false,
        races: [], warnings: [])
        @races = races
        @warnings = warnings
        @exhausted = exhausted && failure.nil?
        @failure = failure
        @runs = runs
        @seed = seed
        @seconds = seconds
        @files = files
      end

      # @return [Boolean] no run failed
      def success? = @failure.nil?

      # @return [Boolean] strategy: :exhaustive took all orders that differ, without a bound
      def exhausted? = @exhausted

      # @return [self]
      # @raise [Failed] when a run failed
      def raise!
        raise Failed, @failure, cause: @failure.error if @failure

        self
      end
    end
  end
end
