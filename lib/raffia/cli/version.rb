# frozen_string_literal: true

require_relative "command"

module Raffia
  module CLI
    # `raffia version`, `raffia --version`.
    #
    # @api private
    class Version < Command
      SUMMARY = "print the versions of Raffia and of the Ruby that runs it"
      USAGE = "Usage: raffia version"

      private

      def run
        @out.puts "raffia #{VERSION} (#{RUBY_ENGINE} #{RUBY_ENGINE_VERSION} #{RUBY_PLATFORM})"
      end
    end
  end
end
