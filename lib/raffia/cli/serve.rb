# frozen_string_literal: true

require_relative "serve/flags"

module Raffia
  module CLI
    # `raffia serve`: a Rack application over HTTP.
    #
    # @api private
    module Serve
      def self.summary = "serve a Rack application over HTTP"

      # Returns the exit code. Raises {Uncaught} around errors of the application.
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
