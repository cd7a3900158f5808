# frozen_string_literal: true

require_relative "options"

module Raffia
  module CLI
    # `raffia completion`: a script that completes commands and flags with the Tab key.
    #
    # @api private
    module Completion
      SHELLS = %w[bash zsh fish].freeze
      USAGE = <<~TEXT
        Usage: raffia completion bash|zsh|fish

        Prints a script that completes commands and flags of raffia in a shell:

          raffia completion bash > /etc/bash_completion.d/raffia
          raffia completion zsh > /usr/local/share/zsh/site-functions/_raffia
          raffia completion fish > ~/.config/fish/completions/raffia.fish

        Options:
      TEXT
      private_constant :USAGE

      def self.summary = "print a completion script for bash, zsh or fish"

      # Returns the exit code.
      def self.call(argv, out: $stdout, err: $stderr) # rubocop:disable Lint/UnusedMethodArgument
        help = false
        parser = Options.parser(USAGE) { |o| o.on("-h", "--help", "this page") { help = true } }
        shell, needless = parser.parse(argv)
        return out.puts(parser) || OK if help
        raise OptionParser::NeedlessArgument, needless if needless
        raise OptionParser::MissingArgument, "use #{SHELLS.join(", ")}" unless shell
        raise OptionParser::InvalidArgument, shell unless SHELLS.include?(shell)

        require_relative "completion/script"
        out.puts Script.new.public_send(shell)
        OK
      end
    end
  end
end
