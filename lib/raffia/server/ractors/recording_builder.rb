# frozen_string_literal: true

require_relative "blueprint"

module Raffia
  class Server
    module Ractors
      # Makes of a Rack::Builder one that does not build but keeps what it was told: to_app gives a
      # {Blueprint}.
      #
      #   Recorder.builder.load_file("config.ru")
      #
      # @api private
      module RecordingBuilder
        # @return [Class] of builders; Rack must be there
        def self.builder = ::Class.new(::Rack::Builder) { prepend RecordingBuilder }

        def initialize(default_app = nil, **options, &block)
          @steps = []
          super
        end

        # As Rack::Builder has it.
        def use(middleware, *arguments, &block)
          mapped
          @steps << Use.new(middleware, arguments, block)
        end
        ruby2_keywords(:use)

        # As Rack::Builder has it.
        def map(path, &block)
          @places = {**@places.to_h, path => block}
        end

        # As Rack::Builder has it. Once is enough, so it is done here and not in each Ractor.
        def warmup(prc = nil, &block)
          @warm = prc || block
        end

        # @return [Blueprint]
        def to_app
          mapped
          Blueprint.new(@run, @steps, @freeze_app || false)
            .tap { |blueprint| @warm&.call(blueprint.build) }
        end

        private

        def mapped
          places, @places = @places, nil
          if places
            @steps << Map.new(places.transform_values { |block| self.class.new(&block).to_app })
          end
        end
      end
    end
  end
end
