# frozen_string_literal: true

require_relative "../../base/optional"

Raffia::Optional.gem("irb", for: "raffia console")

module Raffia
  module CLI
    class Console
      # IRB in a fiber. Reline polls for input a hundred times a second, and its waits let other
      # fibers run.
      #
      # @api private
      class Prompt < ::IRB::Irb
        def initialize
          ::IRB.setup(nil, argv: [])
          ::IRB.conf[:IRB_NAME] = "raffia"
          ::IRB.conf[:BACKTRACE_FILTER] ||= method(:user_frames)
          $stdout.sync = true
          @fiber = Fiber.current
          @scheduler = Fiber.scheduler
          super
        end

        # Ctrl-C. Ruby calls the handler in any running fiber, or in the loop, but it is meant for
        # the code that was typed. A second Ctrl-C before the first took effect is for the running
        # fiber, which does not yield.
        def signal_handle
          if Fiber.current.equal?(@fiber) || @interrupted ||
              !%i[IN_EVAL IN_INPUT].include?(@signal_status)
            return super
          end

          @interrupted = true
          @scheduler.fiber_interrupt(@fiber,
            (@signal_status == :IN_EVAL) ? ::IRB::Abort.new("abort then interrupt!") :
              ::IRB::RubyLex::TerminateLineInput.new)
        end

        # Shows the error of a fiber that nothing waits for; {Raffia.run} raises it in its block.
        def read_input(prompt)
          @interrupted = false
          super
        rescue ::IRB::RubyLex::TerminateLineInput
          raise
        rescue ::StandardError, ::ScriptError, ::IRB::Abort => error
          handle_exception(error)
          raise ::IRB::RubyLex::TerminateLineInput
        end

        private

        # Frames of the typed code, and of its callees.
        def user_frames(frames)
          frames.take_while { |line| !line.include?("/cli/console.rb:") }
            .grep_v(/\A#{Regexp.escape(__FILE__)}:/)
        end
      end
    end
  end
end
