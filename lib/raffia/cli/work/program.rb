# frozen_string_literal: true

require_relative "../../base/error"

module Raffia
  module CLI
    module Work
      # The program with the jobs: files that are required, or a Rails application.
      #
      # @api private
      class Program
        # What is looked for where no file is named.
        RAILS = "config/environment.rb"
        FILE = "jobs.rb"

        # @return [Array<String>] from the root: a program may go to another folder when it is loaded
        attr_reader :paths

        # @param given [Array<String>] files, folders of Rails applications, or names of libraries
        # @raise [NotFound]
        def initialize(given)
          @paths = given.empty? ? [found] : given.map { |path| resolve(path) }
        end

        # @return [String] for people
        def name = @paths.map { |path| path.delete_prefix("#{::Dir.pwd}/") }.join(", ")

        # @return [void]
        # @raise [Exception] what it raises while it is loaded
        def load
          @paths.each { |path| require path }
          application = defined?(::Rails.application) && ::Rails.application
          application.eager_load! if application&.config&.eager_load
        end

        private

        def found
          path = [RAILS, FILE].find { |name| ::File.exist?(name) } or
            raise NotFound, "there is no #{FILE} here (#{::Dir.pwd}), and no Rails application: name the program with the jobs: raffia work -r FILE"
          ::File.expand_path(path)
        end

        def resolve(path)
          return rails(path) if ::File.directory?(path)
          return ::File.expand_path(path) if ::File.file?(path) || ::File.file?("#{path}.rb")
          raise NotFound.new("#{path} does not exist: check the spelling and the path", name: path) if path.start_with?(".", "/") || path.end_with?(".rb")

          path # a library
        end

        def rails(path)
          file = ::File.join(path, RAILS)
          raise NotFound.new("#{path} is a folder without #{RAILS}: name the file with the jobs", name: path) unless ::File.exist?(file)

          ::File.expand_path(file)
        end
      end
    end
  end
end
