# frozen_string_literal: true

require_relative "../../native"

module Raffia
  module Jobs
    class Worker
      # Fibers that do runs. One that is through with a run does the next that waits to be begun,
      # made as good as new: that costs a fifth of another fiber and its task. None of them waits
      # for work.
      #
      # @api private
      class Hands
        TIDIES = Native.respond_to?(:reset_fiber)

        # @param scope [Scope]
        # @yieldparam run [Run] that has ended
        def initialize(scope, &ended)
          @scope = scope
          @ended = ended
          @waiting = []
        end

        # Begins them all, each as soon as the one before it waits or ends.
        # @param runs [Array<Run>]
        # @return [void]
        def take(runs)
          @waiting.concat(runs)
          @scope.spawn { work } until @waiting.empty?
        end

        private

        def work
          kept = ::Fiber.current.storage || {}
          perform(@waiting.shift)
          while TIDIES && (run = @waiting.shift)
            Native.reset_fiber(kept)
            perform(run)
          end
        end

        def perform(run)
          run.call
        ensure
          @ended.call(run)
        end
      end
    end
  end
end
