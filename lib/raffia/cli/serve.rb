# frozen_string_literal: true

require_relative "serve/flags"

module Raffia
  module CLI
    # `raffia serve`: a Rack application over HTTP.
    #
    # @api private
    module Serve
      def self.summary = "serve a Rack application over HTTP"

      # Returns the exit code. Raises {Uncaught} around errors of the application.
      def self.call(argv, out: $stdout, err: $stderr) # rubocop:disable Lint/UnusedMethodArgument
        Flags.run(argv, out) do |flags, path|
          require_relative "serve/command"
          Command.new(flags, path, out).call
        end
      end
    end
  end
end
