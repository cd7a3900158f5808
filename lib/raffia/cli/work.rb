# frozen_string_literal: true

require_relative "work/flags"

module Raffia
  module CLI
    # `raffia work`: runs background jobs.
    #
    # @api private
    module Work
      def self.summary = "do background jobs: raffia work -r ./jobs.rb"

      # Returns the exit code. Raises Jobs::StoreRefused for a store that refuses; workers wait for
      # a store that is down.
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
