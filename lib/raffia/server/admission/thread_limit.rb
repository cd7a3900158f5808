# frozen_string_literal: true

require_relative "concurrency_limiter"

module Raffia
  class Server
    class Admission
      # Limits the requests that keep a thread for long, such as WebSockets. Refuses at once,
      # because a place may not become free for hours. Safe in any thread.
      #
      # @api private
      class ThreadLimit
        attr_reader :taken

        def initialize(limit)
          @limit = limit
          @taken = 0
          @lock = ::Thread::Mutex.new
        end

        # Runs the block in a place. Raises {ConcurrencyLimiter::Busy} when there is none.
        def occupy
          @lock.synchronize do
            raise ConcurrencyLimiter::Busy.new(0) if @taken >= @limit

            @taken += 1
          end
          begin
            yield
          ensure
            @lock.synchronize { @taken -= 1 }
          end
        end
      end
    end
  end
end
