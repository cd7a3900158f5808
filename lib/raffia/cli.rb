# frozen_string_literal: true

require_relative "base/error"
require_relative "base/version"

module Raffia
  # The `raffia` command. Each of its commands is one file, cli/NAME.rb, with a constant CLI::Name
  # that answers `.summary` (a line for `raffia help`) and `.call(argv, out:, err:)` (the exit
  # code). Most are subclasses of {Command}. A command is loaded when it is called: `raffia
  # --version` must not load the lab, and `raffia doctor` must start where the rest of Raffia
  # cannot.
  module CLI
    # All commands, in the order of `raffia help`.
    COMMANDS = %w[new serve work up jobs lab explore top run console doctor completion help version].freeze

    # Exit codes. 130 and 141 are the shell's codes for SIGINT and SIGPIPE.
    OK = 0
    # Something went wrong: a wrong result, a broken machine.
    FAILED = 1
    # The command line makes no sense.
    USAGE = 2
    # Ctrl-C.
    INTERRUPTED = 130
    # The reader of the output has gone.
    BROKEN_PIPE = 141

    # Carries an exception of the user's program past all of our rescues, to be raised again at the
    # very top: then Ruby reports it as usual, and sets $! for at_exit blocks. So it is not a
    # StandardError.
    #
    # @api private
    class Uncaught < Exception # rubocop:disable Lint/InheritException
      attr_reader :error

      def initialize(error)
        @error = error
        super("the program raised #{error.class}")
      end
    end

    # Runs one command line.
    #
    # @param argv [Array<String>] the arguments, without the program's name
    # @param out [IO] the command's output
    # @param err [IO] errors and progress
    # @return [Integer] the exit code
    # @raise [Exception] an error of the user's script under `raffia run`, SystemExit included
    def self.call(argv = ARGV, out: $stdout, err: $stderr)
      require_relative "cli/dispatch"
      require_relative "cli/locale"
      Dispatch.new(out, err).call(Locale.adopt(argv))
    end

    # @param name [String] one of {COMMANDS}
    # @return [#summary, #call] the command, loaded
    def self.command(name)
      require_relative "cli/#{name}"
      const_get(name.capitalize, false)
    end
  end
end
