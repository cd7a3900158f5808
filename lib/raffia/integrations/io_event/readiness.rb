# frozen_string_literal: true

require_relative "wait"

module Raffia
  module Integrations
    module IOEvent
      # Waiting for descriptors.
      #
      # @api private
      module Readiness
        EBADF = -Errno::EBADF::Errno
        private_constant :EBADF

        # Suspend the running fiber until the descriptor is ready, or until somebody else resumes
        # it.
        #
        # +fiber+: the running one.
        # +events+: IO::READABLE | IO::PRIORITY | IO::WRITABLE.
        # The events that came; false when somebody else has resumed it.
        # Raises IOError or SystemCallError when it was closed meanwhile.
        def io_wait(fiber, io, events)
          wait = new_wait(fiber)
          id = 0
          begin
            id = @engine.arm(io, events, wait)
            transfer
            result = wait.result or return false
            (result < 0) ? refuse(io, result) : result
          ensure
            leave(wait, id)
          end
        end

        private

        def init_readiness
          @spare = []
        end

        def new_wait(fiber)
          wait = @spare.pop || Wait.new
          wait.result = nil
          wait.fiber = fiber
          wait
        end

        # The fiber goes on. The wait may be used again if nothing will be heard of it: it was
        # called off, or it was delivered. Otherwise its completion is on the way, and must not hit
        # another one.
        def leave(wait, id)
          wait.fiber = NOBODY
          called_off = @engine.disarm(id)
          @spare.push(wait) if called_off || wait.result
        end

        def nap(fiber, seconds)
          wait = new_wait(fiber)
          id = 0
          begin
            id = @engine.after(seconds, wait)
            transfer
          ensure
            leave(wait, id)
          end
        end

        def refuse(io, result)
          ::Kernel.raise IOError, "stream closed in another thread" if result == EBADF && io.closed?
          ::Kernel.raise SystemCallError.new(nil, -result)
        end
      end
    end
  end
end
