# frozen_string_literal: true

module Raffia
  module CLI
    # `raffia help`, `raffia help COMMAND`, `raffia help jobs SUBCOMMAND`, `raffia --help`.
    #
    # @api private
    module Help
      def self.summary = "explain a command: raffia help run"

      def self.call(argv, out: $stdout, err: $stderr)
        name, *rest = argv
        needless = rest[(name == "jobs") ? 1 : 0] # `raffia help jobs retry`
        raise OptionParser::NeedlessArgument, needless if needless
        return overview(out) if name.nil? || name.start_with?("-") || name == "help"
        CLI.call([name, *rest, "--help"], out: out, err: err)
      end

      def self.overview(out)
        commands = COMMANDS.map { |name| format("  %-10s  %s", name, CLI.command(name).summary) }
        out.puts <<~TEXT
          Raffia runs the same block inline, on fibers, threads, Ractors or processes.

          Usage: raffia [--debug] COMMAND [ARGUMENTS]

          Commands:
          #{commands.join("\n")}

          Options:
            -h, --help       this page
            -v, --version    the versions of Raffia and Ruby
            --debug          with errors, show where in Raffia they come from

          `raffia help COMMAND` explains a command.
        TEXT
        OK
      end
      private_class_method :overview
    end
  end
end
