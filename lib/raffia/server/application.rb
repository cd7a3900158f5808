# frozen_string_literal: true

require_relative "../base/error"
require_relative "../base/optional"

module Raffia
  class Server
    # The application to serve, and where it comes from. It is loaded once in each process that needs it: in the one that forks the
    # others, or with `preload false` in each worker.
    class Application
      # What is looked for when no file is named.
      FILES = %w[config.ru app.rb].freeze

      # @param path [String, nil] a rackup file, or a Ruby file whose last value is an application; nil: the first of {FILES}
      # @return [Application]
      # @raise [NotFound]
      def self.at(path)
        path ||= FILES.find { |name| ::File.exist?(name) } or
          raise NotFound, "there is no #{FILES.first} here (#{::Dir.pwd}), and no #{FILES.last}: go to the application's folder, or name the file: " \
            "`raffia serve path/to/config.ru`"
        raise NotFound.new("#{path} does not exist: check the spelling and the path", name: path) unless ::File.exist?(path)
        raise NotFound.new("#{path} is a folder: name the file in it, such as #{::File.join(path, FILES.first)}", name: path) if ::File.directory?(path)

        new(path) { path.end_with?(".ru") ? rackup(path) : ruby(path) }
      end

      # @param app [#call] one that is there already
      # @return [Application]
      def self.of(app) = new("the application") { app }

      def self.rackup(path)
        Optional.gem("rack", ">= 2.2", for: "`raffia serve #{path}`", feature: "rack")
        built = ::Rack::Builder.parse_file(path)
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

      # @yieldreturn [#call]
      def initialize(name, &load)
        @name = name
        @load = load
      end

      # @return [#call] the same each time
      # @raise [ConfigError] when what is there is no application
      # @raise [Exception] what the application raises while it is loaded, SyntaxError included
      def load
        @app ||= check(@load.call)
      end

      private

      def check(app)
        return app if app.respond_to?(:call)

        raise ConfigError, "#{name} gives #{app.inspect[0, 60]}, which is no application: that has a method `call`. " \
          "A rackup file says `run app`; any other file ends with the application"
      end
    end
  end
end
