# frozen_string_literal: true

require_relative "../../lab"
require_relative "../../lab/report/document"
require_relative "../../lab/report/page"
require_relative "../../lab/report/target"
require_relative "../../lab/report/text"

module Raffia
  module CLI
    module Lab
      # Carries a parsed `raffia lab` out: checks all of it, runs it, and reports.
      #
      # @api private
      class Command
        FILES = %i[json html].freeze
        RUN_ONLY = %i[on workers runs scale].freeze

        def initialize(out, err)
          @out = out
          @err = err
        end

        # @param words [Array<String>] nothing, list, or run with names
        # @param options [Hash{Symbol => Object}]
        # @param argv [Array<String>] as typed, for the report
        # @return [Integer] the exit code
        def call(words, options, argv)
          verb, *names = words
          return list if verb == "list"
          selections = select(verb, names, options)
          targets = options.slice(*FILES).transform_values { |path| Raffia::Lab::Report::Target.new(path) }
          measure(selections, targets, options[:seed], argv)
        end

        private

        def list
          width = Raffia::Lab::EXPERIMENTS.keys.map(&:size).max
          Raffia::Lab::EXPERIMENTS.each_value do |experiment|
            @out.puts "#{experiment.name.ljust(width)}  #{experiment.title}",
              "#{" " * width}  #{experiment.size(experiment.params(1.0))}; on #{experiment.variants.join(", ")}"
          end
          OK
        end

        def select(verb, names, options)
          case verb
          when nil then tour(options)
          when "run" then Raffia::Lab::Plan.of(names, **options.slice(*RUN_ONLY), **workers(options))
          else raise ConfigError, "raffia lab knows list and run, not #{verb}. To run an experiment: raffia lab run NAME"
          end
        end

        def tour(options)
          extra = options.keys & RUN_ONLY
          return Raffia::Lab::Plan.tour if extra.empty?
          raise ConfigError, "the tour has its own sizes: --#{extra.first} goes with raffia lab run NAME --#{extra.first} ..."
        end

        def workers(options)
          return {} unless options.key?(:workers)
          {workers: options[:workers].map { |text| Integer(text, 10) }}
        rescue ArgumentError
          raise ConfigError, "workers: #{options[:workers].join(",")} makes no sense: use whole numbers, as in --workers 1,2,4"
        end

        def measure(selections, targets, seed, argv)
          config = Raffia.config
          environment = Raffia::Lab::Environment.describe(backend: config.backend)
          text = Raffia::Lab::Report::Text.new(@out, Raffia::Lab::Report::Screen.of(@out, color: config.color))
          text.environment(environment)
          Raffia::Lab::Stop.listen do |stop|
            report = campaign(selections, stop, text, environment:, arguments: argv, **{seed:}.compact)
            write(targets, report)
            stop.code || (report[:checks].value?(false) ? FAILED : OK)
          end
        end

        # @return [Hash{Symbol => Object}] the whole report
        def campaign(selections, stop, text, environment:, arguments:, **seed)
          started = Time.now
          progress = Raffia::Lab::Progress.new(@err, width: Raffia::Lab::Report::Screen.of(@err).width)
          campaign = Raffia::Lab::Campaign.new(selections, stop:, progress:, **seed)
          outcomes = campaign.call do |outcome|
            progress.clear
            text.experiment(outcome)
          end
          text.closing(outcomes)
          Raffia::Lab::Report::Document.of(outcomes, environment:, interrupted: stop.requested?, started:,
            seed: campaign.seed, arguments:)
        end

        def write(targets, report)
          targets[:json]&.write(Raffia::Lab::Report::Document.json(report))
          targets[:html]&.write(Raffia::Lab::Report::Page.of(report))
        end
      end
    end
  end
end
