# frozen_string_literal: true

module Raffia
  class Actor
    module Remote
      # Runs blocks in threads, one for each connection that is served.
      module BackgroundThreads
        # Threads at a time.
        LIMIT = 10_000
        # Seconds that an idle thread stays.
        IDLE = 0.05
        private_constant :LIMIT, :IDLE

        module_function

        def run(&)
          pool = RactorLocal.fetch(:raffia_actor_connections) do
            Pool.new(on: :threads, workers: LIMIT, idle: IDLE)
          end
          Deadline.replace(nil) { pool.submit(&) }
        end

        # Runs the work of an object server. Signals interrupt a child process, so it has no scope.
        def enter(_server) = yield(nil)
      end
    end
  end
end
