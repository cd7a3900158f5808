# frozen_string_literal: true

require_relative "../program"
require_relative "../user_code"
require_relative "../../../raffia"
require_relative "../../actor"
require_relative "../../jobs"
require_relative "../../service/banner"
require_relative "prompt"

module Raffia
  module CLI
    module Console
      # One call of `raffia console`.
      #
      # @api private
      class Command
        include UserCode

        # Ends the run as Ctrl-C does, without a wait for its other fibers.
        Exit = Class.new(::Interrupt)
        private_constant :Exit

        def initialize(options, out)
          @options = options
          @out = out
          @pid = ::Process.pid
        end

        # The exit code.
        def call
          program = Program.new(@options[:require], optional: true)
          ::ARGV.clear # or `gets` would read files of these names
          Options.answer(@options[:compat])
          attempt { program.load }
          greet(program) if $stdin.tty?
          attempt { Raffia.run { converse } }
        rescue Exit
          raise @failure if @failure
          OK
        end

        private

        def greet(program)
          versions = Service::Banner.versions(Engine.best)
          @out.puts "#{versions}#{" with #{program.name}" unless program.paths.empty?}"
          @out.puts "Fibers, actors and channels work on while this waits for you. Ctrl-D ends it."
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
end
