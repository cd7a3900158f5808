# frozen_string_literal: true

require_relative "command"

module Raffia
  module CLI
    # `raffia new NAME`: a small application to start from.
    #
    # @api private
    class New < Command
      SUMMARY = "write a small application: web, job, actor, test"
      USAGE = <<~TEXT
        Usage: raffia new [--path CHECKOUT] NAME

        Writes a folder NAME with an application that runs as it is: a Rack application,
        a background job, an actor under a supervisor, and a test of each. Its README
        has the commands. A folder that is not empty is left alone.
      TEXT

      private

      def define(parser)
        parser.on("--path CHECKOUT", "where its Gemfile finds raffia; else",
          "RubyGems, or the checkout that this", "command comes from") do |path|
            @options[:path] = path
          end
      end

      def run(name = nil)
        raise ConfigError, "raffia new needs a name for the application. #{usage}" unless name
        require_relative "new/application"
        Application.new(name, @options[:path]).write(@out)
      end
    end
  end
end
