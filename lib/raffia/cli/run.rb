# frozen_string_literal: true

require_relative "options"
require_relative "run/script"

module Raffia
  module CLI
    # `raffia run script.rb`: any Ruby program, unchanged, in a non-blocking fiber under the
    # scheduler. What the program can see of itself ($0, __FILE__, ARGV, DATA, exit codes, uncaught
    # exceptions, at_exit) is as under `ruby script.rb`.
    module Run
      # How to call it.
      USAGE = "Usage: raffia run [OPTIONS] SCRIPT [ARGUMENTS]"

      def self.summary = "run any Ruby script under the scheduler"

      # The exit code when the script comes to its end.
      # @raise [NotFound] when there is no such script
      # @raise [ConfigError] when there is no such back end, or layer of compat
      # @raise [SystemExit] when the script exits
      # @raise [Uncaught] around what the script raised
      def self.call(argv, out: $stdout, err: $stderr) # rubocop:disable Lint/UnusedMethodArgument
        options = {}
        name, *arguments = parser(options).order(argv)
        return show_help(out) if options[:help]
        if name.to_s.empty?
          raise ConfigError, "raffia run needs a script to run, or - to read it from standard " \
            "input. #{USAGE}"
        end
        execute(Script.open(name), arguments, **options)
        OK
      end

      class << self
        private

        def parser(options)
          Options.parser(USAGE) do |o|
            o.separator ""
            o.separator "Runs SCRIPT (- is standard input) in a fiber under Raffia's scheduler: " \
              "where it"
            o.separator "waits for sockets, pipes, sleep or locks, its other fibers run. It ends " \
              "when all"
            o.separator "fibers that the script started with Fiber.schedule have ended."
            o.separator ""
            o.on("-b", "--backend NAME", "back end of the event loop: raffia doctor") do |name|
              options[:backend] = name.to_sym
            end
            o.on("--dump-signal NAME", "say on this signal what all fibers wait",
              "for, and go on; or end as ever, on HUP,",
              "INT, TERM and QUIT (Ctrl-\\, the default)") { |name| options[:dump_on] = name }
            Options.compat(o) { |names| options[:compat] = names }
            o.on("--top", "let `raffia top` look at its actors") { options[:top] = true }
            o.on("-h", "--help", "this page") { options[:help] = true }
          end
        end

        def show_help(out)
          out.puts parser({})
          OK
        end

        # An error before the block starts is ours (no such back end); from then on all errors are
        # the script's.
        def execute(script, arguments, backend: nil, dump_on: nil, compat: nil, top: false)
          require_relative "../../raffia"
          show_actors if top
          Options.answer(compat)
          started = false
          Raffia.run(backend: backend, dump_on: dump_on || Raffia::Run::Config.load.dump_signal || :QUIT) do
            started = true
            script.call(arguments)
          end
        rescue SystemExit, Interrupt
          raise
        rescue Exception => e # rubocop:disable Lint/RescueException
          raise unless started
          script.trim(e)
          raise Uncaught.new(e)
        end

        def show_actors
          require_relative "../actor"
          Actor.observe
        end
      end
    end
  end
end
