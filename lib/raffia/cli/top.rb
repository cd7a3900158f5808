# frozen_string_literal: true

require_relative "options"

module Raffia
  module CLI
    # `raffia top`: the actors of running processes, live.
    module Top
      # Usage line of the help.
      USAGE = "Usage: raffia top [OPTIONS] [PID | SOCKET]..."

      def self.summary = "watch the actors of running processes"

      # The exit code.
      # @raise [NotFound] when a process shows nothing
      def self.call(argv, out: $stdout, err: $stderr) # rubocop:disable Lint/UnusedMethodArgument
        options = {interval: 1.0}
        names = parser(options).parse(argv)
        return show_help(out) if options[:help]

        require_relative "top/live_view"
        LiveView.new(names, out, **options).call
        OK
      end

      class << self
        private

        def parser(options)
          Options.parser(USAGE) do |o|
            o.separator ""
            o.separator "Shows supervisors, pools and actors: where they run, how many messages " \
              "wait and"
            o.separator "were handled, restarts, what each does now and what it last failed by. By"
            o.separator "default of all processes of yours that show them: those that were " \
              "started with"
            o.separator "RAFFIA_TOP=on or `raffia run --top`, or call Raffia::Actor.observe. Ctrl-C"
            o.separator "ends it."
            o.separator ""
            o.on("--once", "show them once; without a terminal that is", "what it does anyway") do
              options[:once] = true
            end
            o.on("--json", "a line of JSON for each process") { options[:json] = true }
            o.on("-i", "--interval SECONDS", "between two looks (1)") do |text|
              options[:interval] = Options.seconds(text, least: 0.05)
            end
            o.on("-h", "--help", "this page") { options[:help] = true }
          end
        end

        def show_help(out)
          out.puts parser({})
          OK
        end
      end
    end
  end
end
