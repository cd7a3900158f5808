# frozen_string_literal: true

module Raffia
  class Server
    class Worker
      # Runs a WebSocket or event stream in a scheduler: the worker's, or on a thread of the
      # application a new one.
      #
      # @api private
      module StreamLoop
        module_function

        # Yields a drain whose blocks run in the stream's loop.
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
