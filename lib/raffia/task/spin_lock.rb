# frozen_string_literal: true

module Raffia
  # Mutual exclusion for a few lines of bookkeeping between threads.
  #
  # It never parks a fiber: it tries, and lets the other thread run meanwhile. A contended
  # Thread::Mutex#lock parks the fiber in its scheduler, where a cancellation could interrupt the
  # very code that handles cancellations. Nothing inside {#hold} may wait or switch fibers.
  #
  # @api private
  class SpinLock < Thread::Mutex
    # Threads without a scheduler are interrupted anywhere, by Timeout for one: also after try_lock,
    # where no `ensure` would unlock. Under a scheduler, Raffia interrupts fibers where they wait.
    UNINTERRUPTED = {Object => :never}.freeze
    private_constant :UNINTERRUPTED

    # Runs the block with the lock held. Raises ThreadError in a trap handler that interrupted the
    # holder: waiting would never end.
    def hold
      unless Fiber.current_scheduler
        return Thread.handle_interrupt(UNINTERRUPTED) do
          spin
          begin
            yield
          ensure
            unlock
          end
        end
      end

      spin
      begin
        yield
      ensure
        unlock
      end
    end

    private

    def spin
      until try_lock
        if owned?
          raise ThreadError, "called from a trap handler: hand the work to a thread or fiber " \
            "through a Thread::Queue"
        end

        Thread.pass
      end
    end
  end
end
