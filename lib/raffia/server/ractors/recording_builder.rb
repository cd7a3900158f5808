# frozen_string_literal: true

require_relative "build_plan"

module Raffia
  class Server
    module Ractors
      # A Rack::Builder that records instead of builds: to_app returns a {BuildPlan}.
      #
      #   RecordingBuilder.builder.load_file("config.ru")
      #
      # @api private
      module RecordingBuilder
        # A class of builders; needs Rack.
        def self.builder = ::Class.new(::Rack::Builder) { prepend RecordingBuilder }

        def initialize(default_app = nil, **options, &block)
          @steps = []
          super
        end

        def use(middleware, *arguments, &block)
          mapped
          @steps << MiddlewareStep.new(middleware, arguments, block)
        end
        ruby2_keywords(:use)

        def map(path, &block)
          @places = {**@places.to_h, path => block}
        end

        # Runs once, not in each Ractor.
        def warmup(prc = nil, &block)
          @warm = prc || block
        end

        def to_app
          mapped
          BuildPlan.new(@run, @steps, @freeze_app || false)
            .tap { |plan| @warm&.call(plan.build) }
        end

        private

        def mapped
          places, @places = @places, nil
          if places
            @steps << MapStep.new(places.transform_values { |block| self.class.new(&block).to_app })
          end
        end
      end
    end
  end
end
