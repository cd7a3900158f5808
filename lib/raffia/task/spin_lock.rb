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
    # Runs the block with the lock held. Raises ThreadError in a trap handler that interrupted the
    # holder: waiting would never end.
    def hold
      until try_lock
        if owned?
          raise ThreadError, "called from a trap handler: hand the work to a thread or fiber " \
            "through a Thread::Queue"
        end

        Thread.pass
      end
      begin
        yield
      ensure
        unlock
      end
    end
  end
end
