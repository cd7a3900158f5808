# frozen_string_literal: true

require_relative "../base/error"

module Raffia
  module CLI
    # The user's program (-r): files that are required, or a Rails application.
    #
    # @api private
    class Program
      # Defaults.
      RAILS = "config/environment.rb"
      FILE = "jobs.rb"

      # Absolute, because a program may change the folder while it is loaded.
      attr_reader :paths

      # given: files, folders of Rails applications, or names of libraries. search: defaults for an
      # empty list. optional: whether there may be none.
      def initialize(given, search: [RAILS, FILE], optional: false)
        @paths = given.empty? ? found(search) : given.map { |path| resolve(path) }
        if @paths.empty? && !optional
          raise NotFound, "there is no #{FILE} here (#{::Dir.pwd}), and no Rails application: " \
            "name the program with the jobs: -r FILE"
        end
      end

      # Paths below this folder are shown relative to it.
      def name = @paths.map { |path| path.delete_prefix("#{::Dir.pwd}/") }.join(", ")

      def load
        @paths.each { |path| require path }
        application = defined?(::Rails.application) && ::Rails.application
        application.eager_load! if application&.config&.eager_load
      end

      private

      def found(search)
        search.find { |name| ::File.exist?(name) }
          .then { |path| path ? [::File.expand_path(path)] : [] }
      end

      def resolve(path)
        return rails(path) if ::File.directory?(path)
        return ::File.expand_path(path) if ::File.file?(path) || ::File.file?("#{path}.rb")
        return path if library?(path)

        raise NotFound.new(name: path)
      end

      def library?(name)
        !name.start_with?(".", "/") &&
          !!($LOAD_PATH.resolve_feature_path(name) || ::Gem::Specification.find_by_path(name))
      end

      def rails(path)
        file = ::File.join(path, RAILS)
        unless ::File.exist?(file)
          raise NotFound.new("#{path} is a folder without #{RAILS}: name a file", name: path)
        end

        ::File.expand_path(file)
      end
    end
  end
end
