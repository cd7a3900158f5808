# frozen_string_literal: true

require_relative "../preemption/scope"

module Raffia
  module Simulation
    class Failure
      # Decides whether two runs fail for the same reason: by the error's class, its message without
      # numbers and addresses, and the innermost line of the program.
      #
      # @api private
      class Identity
        def initialize(patterns = nil)
          @scope = Preemption::Scope.new(patterns)
        end

        # An object that is equal for errors of one reason.
        def of(error)
          return unless error

          # The waits of a deadlock differ between its schedules.
          message = error.is_a?(Simulation::Error) ? error.message.lines.first : error.message
          [error.class.name, normalize(message.to_s), place(error)]
        end

        private

        def normalize(message)
          message.dup.force_encoding(::Encoding::BINARY).gsub(/0x\h+/n, "0x").gsub(/\d+/n, "0")
        end

        def place(error)
          error.backtrace.to_a.map { |line| line[/\A.+?:\d+/] || line }
            .find { |line| @scope.include?(line[/\A.+(?=:\d+\z)/] || line) }
        end
      end
    end
  end
end
