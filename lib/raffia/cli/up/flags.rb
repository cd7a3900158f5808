# frozen_string_literal: true

require_relative "../serve/flags"
require_relative "settings"

module Raffia
  module CLI
    module Up
      # Flags of `raffia up`: those of `raffia serve`, and of its jobs.
      #
      # @api private
      class Flags < Serve::Flags
        USAGE = <<~TEXT
          Usage: raffia up [OPTIONS] [FILE]

          Serves the Rack application in FILE, as `raffia serve` does, and does its
          background jobs, as `raffia work` does, in processes of their own under the
          same supervisor. With --processes 0 both are done in this one.
        TEXT
        EXAMPLES = <<~TEXT

          Examples:
            raffia up                            config.ru on localhost:9292, and jobs
            raffia up --processes 2 --jobs 4 -q mail,3 -q low
            raffia up --processes 0 --store sqlite:storage/jobs.db

          Signals to the process whose pid is shown: INT and TERM stop it when what has
          begun has ended, HUP replaces the workers one after the other, TSTP begins no
          more jobs.
        TEXT

        def jobs = @jobs ||= {}

        private

        def own_flags(parser)
          super
          Service::Settings::Flags.new(parser, jobs, read: true).add_all(Settings)
        end
      end
    end
  end
end
