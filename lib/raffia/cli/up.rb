# frozen_string_literal: true

require_relative "up/flags"

module Raffia
  module CLI
    # `raffia up`: a Rack application and its background jobs under one supervisor.
    #
    # @api private
    module Up
      def self.summary = "serve a Rack application and do its jobs, under one supervisor"

      # Returns the exit code.
      def self.call(argv, out: $stdout, err: $stderr) # rubocop:disable Lint/UnusedMethodArgument
        Flags.run(argv, out) do |flags, path|
          require_relative "up/command"
          Command.new(flags, path, out).call
        end
      end
    end
  end
end
