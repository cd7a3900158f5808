# frozen_string_literal: true

require_relative "options"

module Raffia
  module CLI
    # `raffia version`, `raffia --version`
    module Version
      def self.summary = "print the versions of Raffia and of the Ruby that runs it"

      # The exit code.
      def self.call(argv, out: $stdout, err: $stderr) # rubocop:disable Lint/UnusedMethodArgument
        help = false
        parser = Options.parser("Usage: raffia version") do |o|
          o.on("-h", "--help", "this page") { help = true }
        end
        rest = parser.parse(argv)
        raise OptionParser::NeedlessArgument, rest.first if rest.any?

        out.puts(help ? parser :
          "raffia #{VERSION} (#{RUBY_ENGINE} #{RUBY_ENGINE_VERSION} #{RUBY_PLATFORM})")
        OK
      end
    end
  end
end
