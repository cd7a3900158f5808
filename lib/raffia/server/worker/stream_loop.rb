# frozen_string_literal: true

require_relative "../../run"

module Raffia
  class Server
    class Worker
      # The fibers of a stream that lasts, a WebSocket or an event stream: those of the worker's
      # loop, or on a thread of the application those of a loop of its own, for as long as the
      # stream does.
      #
      # @api private
      module StreamLoop
        module_function

        # @param drain [Drain, nil] of the worker
        # @yieldparam drain [#call, nil] takes a block that is called in the loop of the stream
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
