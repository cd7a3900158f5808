# frozen_string_literal: true

module Raffia
  class Server
    module Ractors
      # Steps that build an application, so that each Ractor builds its own stateful middlewares.
      # Ractors share the innermost application and the middlewares' arguments.
      #
      # app:: argument of `run`; nil where an outer application takes its place
      # steps:: {MiddlewareStep} and {MapStep}, in the order of config.ru
      # frozen:: whether the result is frozen
      #
      # @api private
      BuildPlan = Data.define(:app, :steps, :frozen) do
        def self.of(app) = app.is_a?(self) ? app : new(app, [], false)

        # `outer` replaces a missing `run`.
        def build(outer = nil)
          inner = finish(app || outer)
          unless inner || steps.last.is_a?(MapStep)
            raise ConfigError, "there is nothing to run: config.ru needs a line `run` or `map`"
          end

          steps.reverse.reduce(inner) { |built, step| finish(step.build(built)) }
        end

        # Shareable unless there are findings.
        def share(sharing, path = "config.ru")
          shareable = with(app: sharing.share(app, "#{path}: run"),
            steps: steps.map { |step| step.share(sharing, path) }.freeze)
          sharing.findings.empty? ? ::Ractor.make_shareable(shareable) : shareable
        end

        def classes = [app.is_a?(::Module) ? app : app.class, *steps.flat_map(&:classes)]

        private

        def finish(built) = frozen ? built.freeze : built
      end

      # @api private
      MiddlewareStep = Data.define(:middleware, :arguments, :block) do
        def build(inner) = middleware.new(inner, *arguments, &block)

        def share(sharing, path)
          path = "#{path}: use #{middleware}"
          arguments.each_index do |index|
            arguments[index] = sharing.share(arguments[index], "#{path}, argument #{index + 1}")
          end
          with(middleware: sharing.share(middleware, path), arguments: arguments.freeze,
            block: sharing.share(block, "#{path}, its block"))
        end

        def classes = [middleware.is_a?(::Module) ? middleware : middleware.class]
      end

      # @api private
      MapStep = Data.define(:places) do
        def build(inner)
          ::Rack::URLMap.new({**({"/" => inner} if inner),
            **places.transform_values { |plan| plan.build(inner) }})
        end

        def share(sharing, path)
          with(places: places.to_h { |place, plan|
            [place.dup.freeze,
              plan.share(sharing, "#{path}: map #{place}")]
          }.freeze)
        end

        def classes = places.values.flat_map(&:classes)
      end
    end
  end
end
