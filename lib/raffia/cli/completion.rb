# frozen_string_literal: true

require_relative "command"

module Raffia
  module CLI
    # `raffia completion`: a script that completes commands and flags with the Tab key.
    #
    # @api private
    class Completion < Command
      SHELLS = %w[bash zsh fish].freeze
      SUMMARY = "print a completion script for bash, zsh or fish"
      USAGE = <<~TEXT
        Usage: raffia completion bash|zsh|fish

        Prints a script that completes commands and flags of raffia in a shell:

          raffia completion bash > /etc/bash_completion.d/raffia
          raffia completion zsh > /usr/local/share/zsh/site-functions/_raffia
          raffia completion fish > ~/.config/fish/completions/raffia.fish
      TEXT

      private

      def run(shell = nil)
        raise OptionParser::MissingArgument, "use #{SHELLS.join(", ")}" unless shell
        raise OptionParser::InvalidArgument, shell unless SHELLS.include?(shell)
        require_relative "completion/script"
        @out.puts Script.new.public_send(shell)
      end
    end
  end
end
