# frozen_string_literal: true

require_relative "options"

module Raffia
  module CLI
    # Finds the command, calls it, and turns every way to fail into a sentence and an exit code.
    #
    # @api private
    class Dispatch
      # What people type, and the command that it means.
      FLAGS = {
        "-h" => "help", "--help" => "help",
        "-v" => "version", "--version" => "version"
      }.freeze

      # What the command line got wrong; all other errors came later.
      USAGE_ERRORS = [OptionParser::ParseError, ConfigError, NotFound].freeze

      # @param find [#call] gives the command of a name
      def initialize(out, err, find: CLI.method(:command))
        @out = out
        @err = err
        @find = find
        @debug = false
      end

      # The exit code.
      def call(argv)
        code = dispatch(*global_options(argv))
        @out.flush # a closed pipe must show while we can still be quiet about it
        code
      rescue Uncaught => e
        raise e.error, cause: e.error.cause
      rescue OptionParser::ParseError, Error => e
        report(e)
      rescue Interrupt
        INTERRUPTED
      rescue Errno::EPIPE
        BROKEN_PIPE # the reader has gone (`raffia help | head -1`), and saying so helps nobody
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
        @err.puts "raffia: there is no #{kind} " \
          "#{name.empty? ? name.inspect : name}.#{Options.guess(name, words)} `raffia help` " \
          "lists all."
        USAGE
      end

      # {USAGE} for what the command line got wrong, {FAILED} for what went wrong after that.
      def report(error)
        @err.puts "raffia: #{sentence(error)}"
        @err.puts error.full_message(highlight: false, order: :top) if debug?
        (USAGE_ERRORS.any? { |kind| error.is_a?(kind) }) ? USAGE : FAILED
      end

      # OptionParser puts its did-you-mean on a line of its own, and leaves the dashes out.
      def sentence(error)
        unless error.is_a?(OptionParser::ParseError)
          return error.message.split(/\s*\n\s*/).join(". ")
        end
        what, guess = error.message.split(/\s*Did you mean\?\s+/)
        "#{what}.#{" Did you mean --#{guess[/\S+/]}?" if guess} `raffia help #{@command}` " \
          "explains the command."
      end

      # Asked for only now, so that neither an old Ruby nor a wrong setting keeps `raffia doctor`
      # from starting.
      def debug?
        return true if @debug
        require_relative "../base/config"
        Config.load.log_level == :debug
      rescue ConfigError
        false # already reported, or no concern of this command
      end
    end
  end
end
