# frozen_string_literal: true

require_relative "options"

module Raffia
  module CLI
    # `raffia new NAME`: a small application to start from.
    module New
      # How to call it.
      USAGE = "Usage: raffia new [--path CHECKOUT] NAME"

      def self.summary = "write a small application: web, job, actor, test"

      # @param out [IO] what was written, and what to do next, goes here
      # The exit code.
      # @raise [ConfigError] for a name that makes no sense, and for a folder that is there already
      #   or cannot be written
      def self.call(argv, out: $stdout, err: $stderr) # rubocop:disable Lint/UnusedMethodArgument
        options = {}
        names = parser(options).parse(argv)
        return help(out) if options[:help]
        raise ConfigError, "raffia new needs a name for the application. #{USAGE}" if names.empty?
        raise OptionParser::NeedlessArgument, names[1] if names.size > 1

        require_relative "new/application"
        Application.new(names.first, options[:path]).write(out)
        OK
      end

      class << self
        private

        def help(out)
          out.puts parser({})
          OK
        end

        def parser(options)
          Options.parser(USAGE) do |o|
            o.separator ""
            o.separator "Writes a folder NAME with an application that runs as it is: a Rack " \
              "application,"
            o.separator "a background job, an actor under a supervisor, and a test of each. Its " \
              "README"
            o.separator "has the commands. A folder that has something in it is left alone."
            o.separator ""
            o.on("--path CHECKOUT", "where its Gemfile finds raffia; else",
              "RubyGems, or the checkout that this", "command comes from") do |path|
                options[:path] = path
              end
            o.on("-h", "--help", "this page") { options[:help] = true }
          end
        end
      end
    end
  end
end
