# frozen_string_literal: true

require_relative "../base/version"

module Raffia
  module CLI
    # `raffia version`, `raffia --version`
    module Version
      # @return [String]
      def self.summary = "print the versions of Raffia and of the Ruby that runs it"

      # @return [Integer] the exit code
      def self.call(_argv, out: $stdout, err: $stderr) # rubocop:disable Lint/UnusedMethodArgument
        out.puts "raffia #{VERSION} (#{RUBY_ENGINE} #{RUBY_ENGINE_VERSION} #{RUBY_PLATFORM})"
        OK
      end
    end
  end
end
