# frozen_string_literal: true

require_relative "../../base/optional"

Raffia::Optional.gem("irb", for: "raffia console")

module Raffia
  module CLI
    module Console
      # IRB in a fiber. It reads by Reline, which looks for input a hundred times a second and waits
      # in between as any fiber does, so the others run meanwhile. What a fiber waits in can be
      # broken off, and that has to hit the right one.
      #
      # @api private
      class Prompt < ::IRB::Irb
        def initialize
          ::IRB.setup(nil, argv: [])
          ::IRB.conf[:IRB_NAME] = "raffia"
          ::IRB.conf[:BACKTRACE_FILTER] ||= method(:theirs)
          $stdout.sync = true
          @fiber = Fiber.current
          @scheduler = Fiber.scheduler
          super
        end

        # Ctrl-C, in a handler: Ruby calls it in whichever fiber runs, or in the loop. It is meant
        # for what was typed. A second one, before that could be told, is for whoever runs and does
        # not let it.
        # @return [void]
        def signal_handle
          if Fiber.current.equal?(@fiber) || @told || !%i[IN_EVAL IN_INPUT].include?(@signal_status)
            return super
          end

          @told = true
          @scheduler.fiber_interrupt(@fiber,
            (@signal_status == :IN_EVAL) ? ::IRB::Abort.new("abort then interrupt!") :
              ::IRB::RubyLex::TerminateLineInput.new)
        end

        # The error of a fiber that nobody waits for is raised here, as in any block of
        # {Raffia.run}.
        # @return [String, nil]
        def read_input(prompt)
          @told = false
          super
        rescue ::IRB::RubyLex::TerminateLineInput
          raise
        rescue ::StandardError, ::ScriptError, ::IRB::Abort => error
          handle_exception(error)
          raise ::IRB::RubyLex::TerminateLineInput
        end

        private

        # From what was typed up, and what it has called.
        def theirs(frames)
          frames.take_while { |line| !line.include?("/cli/console/command.rb:") }
            .grep_v(/\A#{Regexp.escape(__FILE__)}:/)
        end
      end
    end
  end
end
