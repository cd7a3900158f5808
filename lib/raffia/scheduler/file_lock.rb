# frozen_string_literal: true

module Raffia
  class Scheduler
    # File#flock that waits in its fiber. The kernel tells nobody when a lock is free, and has no
    # hook for the wait: its holder may be another fiber of the same thread, which could then never
    # release it. So the lock is tried again, ever more rarely.
    #
    # @api private
    module FileLock
      # Seconds between the first two attempts, and at most.
      FIRST_PAUSE = 0.001
      LONGEST_PAUSE = 0.05
      private_constant :FIRST_PAUSE, :LONGEST_PAUSE

      # @param operation [Integer] as File#flock takes it
      # @yield an operation for File#flock as core has it
      # @return [Integer, false] as File#flock
      def flock(operation)
        pause = FIRST_PAUSE
        until (taken = yield(operation | File::LOCK_NB))
          return taken if operation.anybits?(File::LOCK_NB)

          kernel_sleep(pause)
          pause = [pause * 2, LONGEST_PAUSE].min
        end
        taken
      end
    end
  end
end
