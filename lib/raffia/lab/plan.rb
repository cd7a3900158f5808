# frozen_string_literal: true

require_relative "../base/error"
require_relative "catalog"
require_relative "environment"
require_relative "selection"

module Raffia
  module Lab
    # Turns what was asked for into selections, and refuses what makes no sense before anything is
    # run.
    module Plan
      # The tour: each experiment small enough that all of them take about three minutes on two
      # cores, and large enough that the figures mean something.
      TOUR = {
        "mailer" => {scale: 0.32, runs: 3}.freeze,
        "io_wait" => {scale: 0.2, runs: 3}.freeze,
        "zlib" => {scale: 0.3, runs: 3}.freeze,
        "squares" => {scale: 0.4, runs: 3}.freeze,
        "threads_10k" => {scale: 1.0, runs: 3}.freeze,
        "http" => {scale: 0.2, runs: 2}.freeze,
        "http_cores" => {scale: 0.2, runs: 2}.freeze,
        "auto" => {scale: 0.2, runs: 1}.freeze,
        "blocking_db" => {scale: 0.05, runs: 1}.freeze,
        "ractor_web" => {scale: 0.2, runs: 1}.freeze,
        "fan_out" => {scale: 0.5, runs: 1}.freeze,
        "pipeline" => {scale: 0.2, runs: 1}.freeze,
        "wordcount" => {scale: 0.2, runs: 1}.freeze
      }.freeze
      RUNS = 5
      MOST_WORKERS = 1_000

      module_function

      # @param cores [Integer]
      # @param rubies [Array<Interpreter>, nil]
      # @return [Array<Selection>]
      def tour(cores: Environment.cores, rubies: nil)
        TOUR.map { |name, size| Selection.of(Lab.experiment(name), cores:, rubies:, **size) }
      end

      # @param words [Array<String>] names of experiments, and files of one's own
      # @param on [Array<String>, nil] strategies, or what an experiment has instead
      # @param workers [Array<Integer>, nil]
      # @param runs [Integer] of each cell
      # @param scale [Numeric] 1 is the published size
      # @param rubies [Array<Interpreter>, nil] nil for the lab's own
      # @return [Array<Selection>]
      # @raise [ConfigError] with a sentence that says what would be valid
      def of(words, on: nil, workers: nil, runs: RUNS, scale: 1.0, cores: Environment.cores,
        rubies: nil)
        experiments = Catalog.find(words)
        check_numbers(workers, runs, scale)
        variants = on && check_variants(on, experiments)
        experiments.map do |experiment|
          Selection.of(experiment, scale:, runs:, cores:, rubies:, on: variants,
            workers: workers&.uniq)
        end
      end

      def check_numbers(workers, runs, scale)
        unless runs.positive?
          raise ConfigError, "runs: #{runs} makes no sense: use a whole number from 1 up"
        end
        unless scale.positive? && scale.finite?
          raise ConfigError, "scale: #{scale} makes no sense: use a number above 0; 1 is the " \
            "published size"
        end
        wrong = workers&.find { |count| !count.between?(1, MOST_WORKERS) }
        if wrong
          raise ConfigError, "workers: #{wrong} makes no sense: use whole numbers from 1 to " \
            "#{MOST_WORKERS}"
        end
      end

      def check_variants(on, experiments)
        known = experiments.flat_map { |experiment|
          [*experiment.variants,
            *experiment.controls.keys]
        }.uniq
        on.uniq.map do |name|
          known.find { |variant| variant.name == name } ||
            raise(ConfigError, "there is no strategy #{name} in " \
              "#{experiments.map(&:name).join(", ")}: choose from #{known.join(", ")}")
        end
      end

      private_class_method :check_numbers, :check_variants
    end
  end
end
