# frozen_string_literal: true

module Raffia
  module Jobs
    module Durable
      # Numbers the steps of a function, or of one branch of a `parallel`.
      # @api private
      class Branch
        KEY = :raffia_durable_branch

        # The one of the running fiber.
        def self.current = Fiber[KEY]

        def self.current=(branch)
          Fiber[KEY] = branch
        end

        def initialize(prefix = "")
          @prefix = prefix
          @ordinal = 0
          @left = nil
        end

        # Ends what runs here, including steps in an `ensure`: all that follow end alike.
        def leave(event)
          @left = Suspended.new(event)
          check
        end

        # Raises {Suspended} after {leave}.
        def check = (raise @left if @left)

        # Whether it is the function itself.
        def root? = @prefix.empty?

        # Number of the next step.
        def place = "#{@prefix}#{@ordinal}"

        def advance = @ordinal += 1

        # Takes a number for a `parallel`. Returns branches, numbered before any of them runs.
        def fork(count)
          place = self.place
          advance
          Array.new(count) { |index| "#{place}.#{index}." }
        end
      end
    end
  end
end
