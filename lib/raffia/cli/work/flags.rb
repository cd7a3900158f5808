# frozen_string_literal: true

require_relative "../setting_flags"
require_relative "settings"

module Raffia
  module CLI
    module Work
      # Flags of `raffia work`.
      #
      # @api private
      class Flags < SettingFlags
        USAGE = <<~TEXT
          Usage: raffia work [OPTIONS]

          Does background jobs. Each job runs in a fiber of its own, unless its class
          says `on: :threads`, `:processes`, `:ractors` or `:auto`.
        TEXT
        EXAMPLES = <<~TEXT

          Examples:
            raffia work -r ./jobs.rb             the queue "default" of sqlite:raffia.db
            raffia work -q mail -q low           all of "mail" first, then "low"
            raffia work -q mail,3 -q low,1       "mail" first in three of four cases
            raffia work --processes 4 -c 200 --store redis://localhost:6379/0

          Signals to the process whose pid is shown: TERM and INT let the jobs that have
          begun end, for as long as --timeout says, and put what is left back into its
          queue. TSTP begins no more jobs. HUP replaces the workers one after the other,
          with the code that is on the disk then. TTIN and TTOU: one process more, one
          less. QUIT writes what all jobs wait for.
        TEXT

        private

        def define(parser)
          Service::Settings::Flags.new(parser, given, read: true).add_all(Settings)
          own_flag(parser, :help, "-h", "--help", "this page")
        end
      end
    end
  end
end
