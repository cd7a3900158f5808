# frozen_string_literal: true

module Raffia
  class Scheduler
    class Offload
      # A blocking call that runs on another thread on behalf of a fiber, and uses that fiber's
      # memory. It can be cancelled before it has begun; after that it must be waited for.
      #
      # @api private
      class OffloadedCall
        # Seconds between two wake-ups of a call that is to end soon.
        WAKE_INTERVAL = 0.02
        private_constant :WAKE_INTERVAL

        attr_reader :value

        def initialize(&work)
          @work = work
          @permission = Thread::Queue.new([true]) # to begin; taken once
          @end = Thread::Queue.new # closed when there is nothing to wait for any more
        end

        # Unless it has been cancelled.
        def run
          @thread = Thread.current
          return unless @permission.pop(timeout: 0)

          begin
            @value = @work.call
          ensure
            @end.close
          end
        end

        # Keeps it from beginning, or else waits for its end.
        def cancel
          return @end.close if @permission.pop(timeout: 0)

          until @end.closed?
            # This ends long sleeps in the kernel, such as opening a FIFO. It may not be asleep yet.
            @thread.wakeup
            @end.pop(timeout: WAKE_INTERVAL)
          end
        end
      end
    end
  end
end
