# frozen_string_literal: true

require_relative "options"

module Raffia
  module CLI
    # Finds the command, calls it, and turns every error into a sentence and an exit code.
    #
    # @api private
    class Dispatch
      # Commands by flag.
      FLAGS = {
        "-h" => "help", "--help" => "help",
        "-v" => "version", "--version" => "version"
      }.freeze

      # Errors of the command line; all others came later.
      USAGE_ERRORS = [OptionParser::ParseError, ConfigError, NotFound].freeze

      # find: returns the command of a name.
      def initialize(out, err, find: CLI.method(:command))
        @out = out
        @err = err
        @find = find
        @debug = false
      end

      # Returns the exit code.
      def call(argv)
        code = dispatch(*global_options(argv))
        @out.flush # a closed pipe must show now, where EPIPE is rescued
        code
      rescue Uncaught => e
        raise e.error, cause: e.error.cause
      rescue OptionParser::ParseError, Error => e
        report(e)
      rescue Interrupt
        INTERRUPTED
      rescue Errno::EPIPE
        BROKEN_PIPE # the reader has gone (`raffia help | head -1`)
      end

      private

      def global_options(argv)
        name, *rest = argv
        return [name, rest] unless name == "--debug"
        @debug = true
        global_options(rest)
      end

      def dispatch(name, rest)
        @command = name = FLAGS.fetch(name, name) || "help"
        COMMANDS.include?(name) ? @find.call(name).call(rest, out: @out, err: @err) : unknown(name)
      end

      def unknown(name)
        kind = name.start_with?("-") ? "option" : "command"
        words = (kind == "option") ? [*FLAGS.keys, "--debug"] : COMMANDS
        name = name.inspect if name.empty?
        @err.puts "raffia: there is no #{kind} #{name}.#{Options.guess(name, words)} `raffia " \
          "help` lists all."
        USAGE
      end

      def report(error)
        @err.puts "raffia: #{sentence(error)}"
        @err.puts error.full_message(highlight: false, order: :top) if debug?
        (USAGE_ERRORS.any? { |kind| error.is_a?(kind) }) ? USAGE : FAILED
      end

      # OptionParser has its did-you-mean on a line of its own, without dashes.
      def sentence(error)
        unless error.is_a?(OptionParser::ParseError)
          return error.message.split(/\s*\n\s*/).join(". ")
        end
        what, guess = error.message.split(/\s*Did you mean\?\s+/)
        "#{what}.#{" Did you mean --#{guess[/\S+/]}?" if guess} `raffia help #{@command}` " \
          "explains the command."
      end

      # Loads the configuration only now, so that `raffia doctor` starts on an old Ruby or with a
      # wrong setting.
      def debug?
        return true if @debug
        require_relative "../base/config"
        Config.load.log_level == :debug
      rescue ConfigError
        false # already reported, or irrelevant for this command
      end
    end
  end
end
