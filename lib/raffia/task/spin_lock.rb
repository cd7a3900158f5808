# frozen_string_literal: true

module Raffia
  # Mutual exclusion for a few lines of bookkeeping between threads.
  #
  # A contended Thread::Mutex#lock parks a fiber in its scheduler, and a parked fiber can be
  # interrupted: then a cancellation would strike in the middle of the bookkeeping that handles
  # cancellations. So a guard never parks. It tries, and lets the other thread run meanwhile; that
  # one is a few instructions from its end. Nothing inside #hold may wait or switch fibers.
  #
  # @api private
  class SpinLock < Thread::Mutex
    # @yield with the guard held
    # @return [Object] the block's value
    # @raise [ThreadError] in a trap handler that interrupted the very code that holds this guard:
    #   waiting would never end
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
