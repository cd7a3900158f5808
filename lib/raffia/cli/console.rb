# frozen_string_literal: true

require_relative "options"

module Raffia
  module CLI
    # `raffia console`: a prompt inside of Raffia.run.
    module Console
      # How to call it.
      USAGE = "Usage: raffia console [OPTIONS]"

      def self.summary = "a prompt on your application, with fibers that go on"

      # The exit code.
      # @raise [NotFound] when there is no such file
      # @raise [ConfigError] when there is no such layer of compat
      # @raise [MissingDependency] without IRB
      # @raise [SystemExit] when what is typed exits
      # @raise [Uncaught] around what the application raised while it was loaded
      def self.call(argv, out: $stdout, err: $stderr) # rubocop:disable Lint/UnusedMethodArgument
        options = {require: []}
        rest = parser(options).parse(argv)
        return help(out) if options[:help]
        raise OptionParser::NeedlessArgument, rest.first if rest.any?

        require_relative "console/command"
        Command.new(options, out).call
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
            o.separator "IRB inside of Raffia.run, with raffia, its actors and jobs loaded: fibers,"
            o.separator "actors and channels work on while it waits for you. What fails in a " \
              "fiber that"
            o.separator "nobody waits for is shown. Ctrl-C ends what you have typed, Ctrl-D all " \
              "of it."
            o.separator ""
            o.on("-r", "--require FILE", "load this first, or the Rails application",
              "in a folder; default: the Rails", "application here, or jobs.rb, if there") do |path|
                options[:require] << path
              end
            Options.compat(o) { |names| options[:compat] = names }
            o.on("-h", "--help", "this page") { options[:help] = true }
          end
        end
      end
    end
  end
end
