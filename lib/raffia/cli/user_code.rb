# frozen_string_literal: true

module Raffia
  module CLI
    # Runs the user's code for a command. An including class sets @pid to the process of the
    # command.
    #
    # @api private
    module UserCode
      LIB = ::File.expand_path("..", __dir__).freeze
      private_constant :LIB

      private

      # Errors of the user's code are reported as Ruby reports them; in a worker process, its
      # supervisor does that.
      def attempt
        yield
      rescue Error, SystemExit, Interrupt
        raise
      rescue Exception => error # rubocop:disable Lint/RescueException
        trim(error)
        raise (::Process.pid == @pid) ? Uncaught.new(error) : error
      end

      # Removes Raffia's frames at the end, because readers look for their own.
      def trim(error)
        return unless (frames = error.backtrace)

        last = frames.rindex { |line| !line.include?(LIB) && !line.include?("/exe/raffia:") }
        error.set_backtrace(last ? frames[0..last] : frames.first(1))
      end
    end
  end
end
