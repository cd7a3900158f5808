# frozen_string_literal: true

require_relative "work/flags"

module Raffia
  module CLI
    # `raffia work`: runs background jobs.
    #
    # @api private
    module Work
      def self.summary = "do background jobs: raffia work -r ./jobs.rb"

      # Returns the exit code. Raises Jobs::StoreRefused for a store that refuses; workers wait for
      # a store that is down.
      def self.call(argv, out: $stdout, err: $stderr) # rubocop:disable Lint/UnusedMethodArgument
        Flags.run(argv, out, arguments: 0) do |flags|
          require_relative "work/command"
          Command.new(flags.given, out).call
        end
      end
    end
  end
end
