# frozen_string_literal: true

require_relative "serve/flags"

module Raffia
  module CLI
    # `raffia serve`: a Rack application over HTTP.
    module Serve
      # @return [String]
      def self.summary = "serve a Rack application over HTTP"

      # @param argv [Array<String>]
      # @param out [IO] where it listens, and what --check finds, goes here
      # @param err [IO]
      # @return [Integer] the exit code
      # @raise [NotFound] without an application
      # @raise [ConfigError] for settings that make no sense
      # @raise [Server::CannotListen] when an address cannot be had
      # @raise [Uncaught] around what the application raised while it was loaded
      def self.call(argv, out: $stdout, err: $stderr) # rubocop:disable Lint/UnusedMethodArgument
        flags = Flags.new
        names = flags.parse(argv)
        return flags.help(out) if flags.help?
        raise OptionParser::NeedlessArgument, names[1] if names.size > 1

        require_relative "serve/command"
        Command.new(flags, names.first, out).call
      end
    end
  end
end
