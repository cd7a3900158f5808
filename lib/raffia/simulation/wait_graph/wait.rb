# frozen_string_literal: true

module Raffia
  module Simulation
    class WaitGraph
      # A fiber that waits. `targets`: the waits that must end first, as far as known.
      #
      # @api private
      class Wait
        attr_reader :name, :thread, :fiber, :reason, :subject, :limit
        attr_accessor :targets, :text

        def initialize(name, thread, fiber, reason, subject, limit)
          @name = name
          @thread = thread
          @fiber = fiber
          @reason = reason
          @subject = subject
          @limit = limit
          @targets = []
        end

        # Subject and place of the wait, indented.
        def to_s
          places = Location.of_fiber(@fiber).map { |line| "\n      at #{line}" }
          "    #{@name} waits for #{@text}#{places.join}"
        end
      end
    end
  end
end
