# frozen_string_literal: true

require_relative "work/flags"

module Raffia
  module CLI
    # `raffia work`: does background jobs.
    module Work
      # @return [String]
      def self.summary = "do background jobs: raffia work -r ./jobs.rb"

      # @param argv [Array<String>]
      # @param out [IO] what is done goes here
      # @param err [IO]
      # @return [Integer] the exit code
      # @raise [NotFound] without an application
      # @raise [ConfigError] for settings that make no sense
      # @raise [Jobs::StoreRefused] when the store refuses at the start; for one that is away,
      #   workers wait
      # @raise [Uncaught] around what the application raised while it was loaded
      def self.call(argv, out: $stdout, err: $stderr) # rubocop:disable Lint/UnusedMethodArgument
        flags = Flags.new
        rest = flags.parse(argv)
        return flags.help(out) if flags.help?
        raise OptionParser::NeedlessArgument, rest.first if rest.any?

        require_relative "work/command"
        Command.new(flags.given, out).call
      end
    end
  end
end
