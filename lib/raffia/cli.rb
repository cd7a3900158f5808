# frozen_string_literal: true

require_relative "base/error"
require_relative "base/version"

module Raffia
  # The `raffia` command. A command is one file, cli/NAME.rb, with a module CLI::Name that answers
  # `.summary` (a line for `raffia help`) and `.call(argv, out:, err:)` (the exit code). It is
  # loaded when it is called and not before: `raffia --version` must not pay for the lab, and
  # `raffia doctor` must start where the rest of Raffia cannot.
  module CLI
    # The commands of this version, in the order of `raffia help`.
    COMMANDS = %w[new serve work up jobs lab top run console doctor completion help version].freeze

    # Exit codes. 130 and 141 are what a shell reports for a process that SIGINT and SIGPIPE ended.
    OK = 0
    # Something went wrong: a wrong result, a broken machine.
    FAILED = 1
    # The command line makes no sense.
    USAGE = 2
    # Ctrl-C.
    INTERRUPTED = 130
    # Whoever read the output has gone.
    BROKEN_PIPE = 141

    # Carries an exception of the user's program past everything of ours that rescues, to be raised
    # again at the very top: only Ruby itself reports it the way Ruby does, and sets $! for at_exit
    # blocks. Not a StandardError for that reason.
    #
    # @api private
    class Uncaught < Exception # rubocop:disable Lint/InheritException
      # @return [Exception] what the program raised
      attr_reader :error

      # @param error [Exception]
      def initialize(error)
        @error = error
        super("the program raised #{error.class}")
      end
    end

    # Run one command line.
    #
    # @param argv [Array<String>] the arguments, without the program's name
    # @param out [IO] what the command answers goes here
    # @param err [IO] errors go here
    # @return [Integer] the exit code
    # @raise [Exception] what a script under `raffia run` raised and did not rescue, SystemExit
    #   included
    def self.call(argv = ARGV, out: $stdout, err: $stderr)
      require_relative "cli/dispatch"
      require_relative "cli/locale"
      Dispatch.new(out, err).call(Locale.adopt(argv))
    end

    # @param name [String] one of {COMMANDS}
    # @return [Module] the command, loaded
    def self.command(name)
      require_relative "cli/#{name}"
      const_get(name.capitalize, false)
    end
  end
end
