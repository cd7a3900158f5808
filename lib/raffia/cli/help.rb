# frozen_string_literal: true

module Raffia
  module CLI
    # `raffia help`, `raffia help COMMAND`, `raffia --help`
    module Help
      def self.summary = "explain a command: raffia help run"

      # The exit code.
      def self.call(argv, out: $stdout, err: $stderr)
        name, needless = argv
        raise OptionParser::NeedlessArgument, needless if needless
        return overview(out) if name.nil? || name.start_with?("-") || name == "help"
        CLI.call([name, "--help"], out: out, err: err)
      end

      class << self
        private

        def overview(out)
          out.puts "Raffia runs the same block inline, on fibers, threads, Ractors or processes.",
            ""
          out.puts "Usage: raffia [--debug] COMMAND [ARGUMENTS]", "", "Commands:"
          COMMANDS.each { |name| out.puts format("  %-10s  %s", name, CLI.command(name).summary) }
          out.puts "", "Options:"
          out.puts "  -h, --help       this page",
            "  -v, --version    the versions of Raffia and Ruby"
          out.puts "  --debug          with errors, show where in Raffia they come from"
          out.puts "", "`raffia help COMMAND` explains a command."
          OK
        end
      end
    end
  end
end
