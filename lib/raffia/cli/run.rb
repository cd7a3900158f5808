# frozen_string_literal: true

require_relative "command"
require_relative "run/script"

module Raffia
  module CLI
    # `raffia run script.rb`: any Ruby program, unchanged, in a non-blocking fiber under the
    # scheduler. $0, __FILE__, ARGV, DATA, exit codes, uncaught exceptions and at_exit are as under
    # `ruby script.rb`.
    #
    # @api private
    class Run < Command
      SUMMARY = "run any Ruby script under the scheduler"
      USAGE = <<~TEXT
        Usage: raffia run [OPTIONS] SCRIPT [ARGUMENTS]

        Runs SCRIPT (- is standard input) in a fiber under Raffia's scheduler: where it
        waits for sockets, pipes, sleep or locks, its other fibers run. It ends when all
        fibers that the script started with Fiber.schedule have ended.
      TEXT

      private

      def define(parser)
        parser.on("-b", "--backend NAME", "back end of the event loop: raffia doctor") do |name|
          @options[:backend] = name.to_sym
        end
        parser.on("--dump-signal NAME", "show on this signal what each fiber waits",
          "for (QUIT, which is Ctrl-\\); HUP, INT, TERM",
          "and QUIT also end the program as usual") { |name| @options[:dump_on] = name }
        Options.compat(parser) { |names| @options[:compat] = names }
        parser.on("--top", "let `raffia top` show its actors") { @options[:top] = true }
      end

      # Options behind the script are the script's.
      def parse(argv) = parser.order(argv)

      def run(name = nil, *arguments)
        if name.to_s.empty?
          raise ConfigError, "raffia run needs a script to run, or - to read it from standard " \
            "input. #{usage}"
        end
        execute(Script.open(name), arguments)
      end

      # Errors before the block starts are ours (no such back end), later ones are the script's.
      def execute(script, arguments)
        require_relative "../../raffia"
        show_actors if @options[:top]
        Options.load_compat(@options[:compat])
        dump_on = @options[:dump_on] || Raffia::Run::Config.load.dump_signal || :QUIT
        started = false
        Raffia.run(backend: @options[:backend], dump_on:) do
          started = true
          script.call(arguments)
        end
        OK
      rescue SystemExit, Interrupt
        raise
      rescue Exception => error # rubocop:disable Lint/RescueException
        raise unless started
        script.trim(error)
        raise Uncaught.new(error)
      end

      def show_actors
        require_relative "../actor"
        Actor.observe
      end
    end
  end
end
