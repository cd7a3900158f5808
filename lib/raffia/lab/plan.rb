# frozen_string_literal: true

require_relative "../base/error"
require_relative "catalog"
require_relative "environment"
require_relative "selection"

module Raffia
  module Lab
    # Turns the arguments of a command line into selections, and refuses wrong ones before anything
    # runs.
    module Plan
      # The tour takes about three minutes on two cores. Each experiment is large enough that its
      # figures mean something.
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

      extend self

      def tour(cores: Environment.cores, rubies: nil)
        TOUR.map { |name, size| Selection.of(Lab.experiment(name), cores:, rubies:, **size) }
      end

      # words: experiments, and files. on: strategies, or other variants. runs: of each cell.
      # rubies: {Interpreter}s, nil for the lab's own.
      # Raises ConfigError with a sentence that says what is valid.
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

      private

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
        known = experiments.flat_map { |each| [*each.variants, *each.controls.keys] }.uniq
        on.uniq.map do |name|
          known.find { |variant| variant.name == name } ||
            raise(ConfigError, "there is no strategy #{name} in " \
              "#{experiments.map(&:name).join(", ")}: choose from #{known.join(", ")}")
        end
      end
    end
  end
end
