# frozen_string_literal: true

require_relative "command"

module Raffia
  module CLI
    # `raffia top`: the actors of running processes, live.
    #
    # @api private
    class Top < Command
      SUMMARY = "watch the actors of running processes"
      USAGE = <<~TEXT
        Usage: raffia top [OPTIONS] [PID | SOCKET]...

        Shows supervisors, pools and actors: where they run, how many messages wait and
        were handled, restarts, what each does now, and its last error. The default are
        all of your processes that show them: those that were started with RAFFIA_TOP=on
        or `raffia run --top`, or call Raffia::Actor.observe. Ctrl-C ends it.
      TEXT

      private

      def define(parser)
        @options[:interval] = 1.0
        parser.on("--once", "show them once; without a terminal that is", "the default") do
          @options[:once] = true
        end
        parser.on("--json", "a line of JSON for each process") { @options[:json] = true }
        parser.on("-i", "--interval SECONDS", "between two views (1)") do |text|
          @options[:interval] = Options.seconds(text, least: 0.05)
        end
      end

      def run(*names)
        require_relative "top/live_view"
        LiveView.new(names, @out, **@options).call
        OK
      end
    end
  end
end
