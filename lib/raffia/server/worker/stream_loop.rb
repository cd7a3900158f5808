# frozen_string_literal: true

require_relative "../../run"

module Raffia
  class Server
    class Worker
      # Gives a WebSocket or an event stream a loop for its fibers: the worker's, or on a thread of
      # the application one of its own, for as long as the stream lasts.
      #
      # @api private
      module StreamLoop
        module_function

        # @param drain [Drain, nil] of the worker
        # @yieldparam drain [#call, nil] takes a block that is called in the stream's loop
        # @return [Object] the block's value
        def run(drain)
          return yield(drain) if Fiber.current_scheduler

          Raffia.run do |scope|
            calls = ::Thread::Queue.new
            scope.spawn { nil while calls.pop&.call }
            yield(drain && ->(&block) { drain.call { calls << block } })
          ensure
            calls&.close
          end
        end
      end
    end
  end
end
