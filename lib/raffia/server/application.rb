# frozen_string_literal: true

require_relative "isolation"

module Raffia
  class Server
    # The application to serve, and how to load it. Each process that needs it loads it once: the
    # template process, or with `preload false` every worker.
    #
    # @api private
    class Application
      FILES = %w[config.ru app.rb].freeze

      # `path` names a rackup file, or a Ruby file whose last value is the application.
      def self.at(path)
        path ||= FILES.find { |name| ::File.exist?(name) } or
          raise NotFound,
            "there is no #{FILES.first} here (#{::Dir.pwd}), and no #{FILES.last}: go to the " \
            "application's folder, or name the file: " \
            "`raffia serve path/to/config.ru`"
        raise NotFound.new(name: path) unless ::File.exist?(path)
        if ::File.directory?(path)
          raise NotFound.new("#{path} is a folder: name the file in it, such as " \
            "#{::File.join(path, FILES.first)}", name: path)
        end

        new(path) { |mode| path.end_with?(".ru") ? rackup(path, mode) : ruby(path) }
      end

      # A `trusted` application is Raffia's own: it keeps no state by thread.
      def self.of(app, trusted: false) = new("the application", trusted: trusted) { app }

      def self.rackup(path, mode)
        Optional.gem("rack", ">= 2.2", for: "`raffia serve #{path}`", feature: "rack")
        built = ((mode == :record) ? Ractors::RecordingBuilder.builder :
          ::Rack::Builder).parse_file(path)
        built.is_a?(::Array) ? built.first : built # Rack 2 has options with it
      end
      private_class_method :rackup

      # Evaluates at the top level, with its own local variables, as Ruby runs a script.
      def self.ruby(path)
        ::TOPLEVEL_BINDING.dup.eval(::File.read(path), ::File.expand_path(path))
      end
      private_class_method :ruby

      attr_reader :name
      # :build, :record (what each Ractor builds for itself) or :share.
      attr_reader :mode

      attr_accessor :execution

      # Yields the mode, :build or :record.
      def initialize(name, trusted: false, &load)
        @name = name
        @trusted = trusted
        @load = load
        @mode = :build
        @execution = :auto
      end

      def trusted? = @trusted

      # Sets the mode of {load}; :share freezes what was recorded.
      def load_as(mode)
        @app = @app.build if mode == :build && @app.is_a?(Ractors::BuildPlan)
        @app = Ractors.ready(@app) if mode == :share && @app
        @mode = mode
      end

      # Returns the same object each time. Raises what the application raises, SyntaxError included.
      def load
        @app ||= (@mode == :share) ? Ractors.ready(@load.call(:record)) : check(build)
      end

      private

      # Rails reads its isolation level once, so it is set before the application is initialised.
      def build
        (@execution == :threads) ? @load.call(@mode) : Isolation.by_fiber { @load.call(@mode) }
      end

      def check(app)
        return app if app.respond_to?(:call) || app.is_a?(Ractors::BuildPlan)

        raise ConfigError,
          "#{name} gives #{app.inspect[0, 60]}, which is no application: that has a method " \
          "`call`. " \
          "A rackup file says `run app`; any other file ends with the application"
      end
    end
  end
end
