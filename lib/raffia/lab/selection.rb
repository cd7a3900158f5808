# frozen_string_literal: true

require_relative "cell"

module Raffia
  module Lab
    # One experiment at a scale, with the cells to measure and the number of runs of each.
    class Selection < Data.define(:experiment, :scale, :runs, :cells)
      # on: variants; a control comes with its strategy, and can be selected alone. rubies:
      # {Interpreter}s, nil for the lab's own.
      # Raises ConfigError when the experiment has none of the variants.
      def self.of(experiment, scale:, runs:, cores:, on: nil, workers: nil, rubies: nil)
        cells = Cells.new(experiment, cores, on, workers, rubies).to_a
        new(experiment:, scale:, runs:, cells:)
      end

      def params = experiment.params(scale)

      # The cells of a selection, in the order of the table.
      class Cells
        def initialize(experiment, cores, on, workers, rubies)
          @experiment = experiment
          @cores = cores
          @on = on
          @workers = workers
          @rubies = rubies || [nil]
        end

        def to_a
          variants.flat_map do |variant|
            # The Rubies come last, so that they are next to each other.
            workers(variant).product(@rubies).map do |workers, ruby|
              Cell.new(experiment: @experiment.name, variant:, workers:, ruby:)
            end
          end
        end

        private

        def variants
          all = [*@experiment.variants, *@experiment.controls.keys]
          return all unless @on
          chosen = all.select do |variant|
            @on.include?(variant) || @on.include?(@experiment.controls[variant])
          end
          return chosen unless chosen.empty?
          raise ConfigError, "#{@experiment.name} does not run on #{@on.join(", ")}: it has " \
            "#{all.join(", ")}"
        end

        def workers(variant)
          if @workers && @experiment.workers?(variant)
            @workers
          else
            @experiment.workers(variant, @cores)
          end
        end
      end
    end
  end
end
