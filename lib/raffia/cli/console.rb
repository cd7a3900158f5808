# frozen_string_literal: true

require_relative "command"
require_relative "user_code"

module Raffia
  module CLI
    # `raffia console`: IRB inside of Raffia.run.
    #
    # @api private
    class Console < Command
      include UserCode

      SUMMARY = "a prompt on your application, under the scheduler"
      USAGE = <<~TEXT
        Usage: raffia console [OPTIONS]

        IRB inside of Raffia.run, with raffia, its actors and jobs loaded: fibers,
        actors and channels run while it waits for you. Errors of fibers that nothing
        waits for are shown. Ctrl-C ends what you have typed, Ctrl-D the console.
      TEXT

      # Ends the run as Ctrl-C does, without a wait for its other fibers.
      Exit = Class.new(::Interrupt)
      private_constant :Exit

      private

      def define(parser)
        @options[:require] = []
        parser.on("-r", "--require FILE", "load this first, or the Rails application",
          "in a folder; default: the Rails", "application here, or jobs.rb, if there") do |path|
            @options[:require] << path
          end
        Options.compat(parser) { |names| @options[:compat] = names }
      end

      def run
        load_raffia
        @pid = ::Process.pid
        program = Program.new(@options[:require], optional: true)
        ::ARGV.clear # or `gets` would read files of these names
        Options.load_compat(@options[:compat])
        attempt { program.load }
        greet(program) if $stdin.tty?
        attempt { Raffia.run { converse } }
      rescue Exit
        raise @failure if @failure
      end

      def load_raffia
        require_relative "program"
        require_relative "../../raffia"
        require_relative "../actor"
        require_relative "../jobs"
        require_relative "../service/banner"
        require_relative "console/prompt"
      end

      def greet(program)
        versions = Service::Banner.versions(Engine.best)
        @out.puts "#{versions}#{" with #{program.name}" unless program.paths.empty?}"
        @out.puts "Fibers, actors and channels run while this waits for you. Ctrl-D ends it."
        @out.flush
      end

      def converse
        begin
          Prompt.new.run
        rescue ::Exception => error # rubocop:disable Lint/RescueException
          @failure = error # `exit`, most often
        end
        raise Exit, "the console has ended", []
      end
    end
  end
end
