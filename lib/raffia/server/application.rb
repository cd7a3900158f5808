# frozen_string_literal: true

require_relative "../base/error"
require_relative "../base/optional"
require_relative "isolation"

module Raffia
  class Server
    # The application to serve, and where it comes from. It is loaded once in each process that
    # needs it: in the one that forks the others, or with `preload false` in each worker.
    class Application
      # What is looked for when no file is named.
      FILES = %w[config.ru app.rb].freeze

      # @param path [String, nil] a rackup file, or a Ruby file whose last value is an application;
      #   nil: the first of {FILES}
      # @return [Application]
      # @raise [NotFound]
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

        new(path) { |how| path.end_with?(".ru") ? rackup(path, how) : ruby(path) }
      end

      # @param app [#call] one that is there already
      # @param trusted [Boolean] whether it is our own, and keeps nothing by thread
      # @return [Application]
      def self.of(app, trusted: false) = new("the application", trusted: trusted) { app }

      def self.rackup(path, how)
        Optional.gem("rack", ">= 2.2", for: "`raffia serve #{path}`", feature: "rack")
        built = ((how == :record) ? Ractors::RecordingBuilder.builder :
          ::Rack::Builder).parse_file(path)
        built.is_a?(::Array) ? built.first : built # Rack 2 has options with it
      end
      private_class_method :rackup

      # At the top level, with locals of its own, as Ruby would run it.
      def self.ruby(path)
        ::TOPLEVEL_BINDING.dup.eval(::File.read(path), ::File.expand_path(path))
      end
      private_class_method :ruby

      # @return [String] for people
      attr_reader :name
      # @return [Symbol] as {#load_to} takes it
      attr_reader :how

      # @return [Symbol] where it is to run: the option `execution`
      attr_accessor :execution

      # @yieldparam how [Symbol] :build, or :record what Ractors will each build for themselves
      # @yieldreturn [#call]
      def initialize(name, trusted: false, &load)
        @name = name
        @trusted = trusted
        @load = load
        @how = :build
        @execution = :auto
      end

      # @return [Boolean]
      def trusted? = @trusted

      # @param how [Symbol] :build, :record, or :share what was recorded; from here on it is loaded
      #   like that
      # @return [void]
      def load_to(how)
        @app = @app.build if how == :build && @app.is_a?(Ractors::BuildPlan)
        @app = Ractors.ready(@app) if how == :share && @app
        @how = how
      end

      # @return [#call, Ractors::BuildPlan] the same each time
      # @raise [ConfigError] when what is there is no application
      # @raise [Exception] what the application raises while it is loaded, SyntaxError included
      def load
        @app ||= (@how == :share) ? Ractors.ready(@load.call(:record)) : check(build)
      end

      private

      # Rails asks once where what belongs to a request is kept, so it is told before the
      # application is initialised.
      def build
        (@execution == :threads) ? @load.call(@how) : Isolation.by_fiber { @load.call(@how) }
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
