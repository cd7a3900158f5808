# frozen_string_literal: true

require_relative "../../lab"
require_relative "../../lab/comparison"
require_relative "../../lab/counters"
require_relative "../../lab/report/document"
require_relative "../../lab/report/text"
require_relative "output"

module Raffia
  module CLI
    module Lab
      # `raffia lab run` and the tour: measures, and reports.
      #
      # @api private
      class Measurement
        # @param earlier [Hash, nil] a result to compare with
        # @param targets [Hash{Symbol => Raffia::Lab::Report::Target}] json, html
        def initialize(out, err, selections, rubies:, earlier:, tolerance:, argv:, targets:)
          @out = out
          @err = err
          @selections = selections
          @rubies = rubies
          @earlier = earlier
          @tolerance = tolerance
          @argv = argv
          @targets = targets
        end

        # The exit code.
        def call(**seed)
          config = Raffia.config
          obstacle = Raffia::Lab::Counters.obstacle
          environment = Raffia::Lab::Environment.describe(backend: Engine::Config.load.backend,
            rubies: @rubies,
            counters: obstacle)
          @text = Output.text(@out, config)
          @text.environment(environment)
          Raffia::Lab::StopSignal.listen do |stop|
            report = compared(measure(stop, environment,
              counters: obstacle ? {} : Raffia::Lab::Counters::EVENTS, **seed))
            Output.write(@targets, report)
            stop.code || code(report)
          end
        end

        private

        # The whole report.
        def measure(stop, environment, **options)
          started = Time.now
          progress = Raffia::Lab::Progress.new(@err,
            width: Raffia::Lab::Report::Screen.of(@err).width)
          campaign = Raffia::Lab::Campaign.new(@selections, stop:, progress:, **options)
          outcomes = campaign.call do |outcome|
            progress.clear
            @text.experiment(outcome)
          end
          @text.closing(outcomes)
          Raffia::Lab::Report::Document.of(outcomes, environment:, interrupted: stop.requested?,
            started:,
            seed: campaign.seed, arguments: @argv)
        end

        def compared(report)
          return report unless @earlier
          after = Raffia::Lab::Report::Document.normal(report)
          comparison = Raffia::Lab::Comparison.new(@earlier, after, tolerance: @tolerance).to_h
          @out.puts
          @text.comparison(comparison)
          {**report, comparison:}
        end

        def code(report)
          wrong = report[:checks].value?(false)
          (wrong || Output.worse?(report[:comparison])) ? FAILED : OK
        end
      end
    end
  end
end
