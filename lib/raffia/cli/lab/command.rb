# frozen_string_literal: true

require_relative "../../lab"
require_relative "../../lab/report/target"
require_relative "compare"
require_relative "listing"
require_relative "measurement"
require_relative "starter"

module Raffia
  module CLI
    module Lab
      # Carries a parsed `raffia lab` out. All of it is checked before anything is run.
      #
      # @api private
      class Command
        FILES = %i[json html].freeze
        RUN_ONLY = %i[on workers runs scale].freeze
        KNOWN = "raffia lab knows list, run, new and compare, not %s. To run an experiment: " \
          "raffia lab run NAME"

        def initialize(out, err)
          @out = out
          @err = err
        end

        # @param words [Array<String>] a verb and what it is about; none for the tour
        # @param argv [Array<String>] as typed, for the report
        # The exit code.
        def call(words, options, argv)
          verb, *names = words
          case verb
          when "list" then Listing.new(@out).call(names)
          when "new" then Starter.new(@out).call(names)
          when "compare" then compare(names, options)
          when nil, "run" then measure(verb, names, options, argv)
          else raise ConfigError, format(KNOWN, verb)
          end
        end

        private

        def compare(names, options)
          other = options.keys - [*FILES, :tolerance]
          if other.any?
            raise ConfigError, "--#{other.first} goes with raffia lab run; compare takes two " \
              "files and --tolerance, --json, --html"
          end
          Compare.new(@out, tolerance: tolerance(options), **targets(options)).call(names)
        end

        def measure(verb, names, options, argv)
          if options.key?(:tolerance) && !options.key?(:against)
            raise ConfigError, "--tolerance goes with --against FILE"
          end
          rubies = Raffia::Lab::Interpreter.all(options[:ruby]) if options.key?(:ruby)
          selections = verb ? run(names, options, rubies) : tour(options, rubies)
          earlier = Raffia::Lab::Report::Document.read(options[:against]) if options.key?(:against)
          Measurement.new(@out, @err, selections, rubies:, earlier:, tolerance: tolerance(options),
            argv:, **targets(options))
            .call(**options.slice(:seed))
        end

        def run(names, options, rubies)
          Raffia::Lab::Plan.of(names, rubies:, **options.slice(*RUN_ONLY), **workers(options))
        end

        def tour(options, rubies)
          extra = options.keys & RUN_ONLY
          return Raffia::Lab::Plan.tour(rubies:) if extra.empty?
          raise ConfigError, "the tour has its own sizes: --#{extra.first} goes with raffia lab " \
            "run NAME --#{extra.first} ..."
        end

        def workers(options)
          return {} unless options.key?(:workers)
          {workers: options[:workers].map { |text| Integer(text, 10) }}
        rescue ArgumentError
          raise ConfigError, "workers: #{options[:workers].join(",")} makes no sense: use whole " \
            "numbers, as in --workers 1,2,4"
        end

        def tolerance(options)
          percent = options.fetch(:tolerance, 0.0)
          return percent / 100 if percent.finite? && percent >= 0
          raise ConfigError, "tolerance: #{percent} makes no sense: use percents from 0 up"
        end

        def targets(options)
          paths = options.slice(*FILES)
          if paths.size > paths.values.uniq { |path| File.expand_path(path) }.size
            raise ConfigError, "--json and --html name the same file: #{paths[:json]}"
          end
          {targets: paths.transform_values { |path| Raffia::Lab::Report::Target.new(path) }}
        end
      end
    end
  end
end
