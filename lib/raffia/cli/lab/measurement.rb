# frozen_string_literal: true

require_relative "../../lab"
require_relative "../../lab/counters"
require_relative "output"

module Raffia
  module CLI
    class Lab < Command
      # `raffia lab run` and the tour: measures, and reports.
      class Measurement
        RUN_ONLY = %i[on workers runs scale].freeze

        # argv: as typed, for the report.
        def initialize(out, err, options, argv)
          @out = out
          @err = err
          @options = options
          @argv = argv
        end

        # verb: nil for the tour. Returns the exit code.
        def call(verb, names)
          if @options.key?(:tolerance) && !@options.key?(:against)
            raise ConfigError, "--tolerance goes with --against FILE"
          end
          @rubies = Raffia::Lab::Interpreter.all(@options[:ruby]) if @options.key?(:ruby)
          @selections = verb ? selections(names) : tour
          if @options.key?(:against)
            @earlier = Raffia::Lab::Report::Document.read(@options[:against])
          end
          @output = Output.new(@out, @options)
          Raffia::Lab::StopSignal.listen { |stop| run(stop) }
        end

        private

        def selections(names)
          Raffia::Lab::Plan.of(names, rubies: @rubies, **@options.slice(*RUN_ONLY), **workers)
        end

        def tour
          extra = @options.keys & RUN_ONLY
          return Raffia::Lab::Plan.tour(rubies: @rubies) if extra.empty?
          raise ConfigError, "the tour has its own sizes: --#{extra.first} goes with raffia lab " \
            "run NAME --#{extra.first} ..."
        end

        def workers
          return {} unless @options.key?(:workers)
          {workers: @options[:workers].map { |text| Integer(text, 10) }}
        rescue ArgumentError
          raise ConfigError, "workers: #{@options[:workers].join(",")} makes no sense: use whole " \
            "numbers, as in --workers 1,2,4"
        end

        def run(stop)
          obstacle = Raffia::Lab::Counters.obstacle
          environment = Raffia::Lab::Environment.describe(backend: Engine::Config.load.backend,
            rubies: @rubies, counters: obstacle)
          @output.text.environment(environment)
          report = measure(stop, environment, obstacle ? {} : Raffia::Lab::Counters::EVENTS)
          if @earlier
            @out.puts
            report = @output.compared(@earlier, report)
          end
          @output.write(report)
          stop.code || code(report)
        end

        # Returns the whole report.
        def measure(stop, environment, counters)
          started = Time.now
          progress = Raffia::Lab::Progress.new(@err,
            width: Raffia::Lab::Report::Screen.of(@err).width)
          campaign = Raffia::Lab::Campaign.new(@selections, stop:, progress:, counters:,
            **@options.slice(:seed))
          outcomes = campaign.call do |outcome|
            progress.clear
            @output.text.experiment(outcome)
          end
          @output.text.closing(outcomes)
          Raffia::Lab::Report::Document.of(outcomes, environment:, interrupted: stop.requested?,
            started:, seed: campaign.seed, arguments: @argv)
        end

        def code(report)
          (report[:checks].value?(false) || @output.worse?(report)) ? FAILED : OK
        end
      end
    end
  end
end
