# frozen_string_literal: true

require_relative "wait"

module Raffia
  module Integrations
    module IOEvent
      # Waiting for descriptors and children.
      #
      # @api private
      module Readiness
        EBADF = -Errno::EBADF::Errno
        # Seconds between two polls of a child that has no pidfd. A thread that waits for a group
        # would be faster, but an interrupt could not stop it: it might take the status of a child
        # that others wait for.
        PAUSES = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05].freeze
        private_constant :EBADF, :PAUSES

        # Suspends the running fiber until the descriptor is ready for one of the events. Returns
        # those that came, or false when another fiber resumed this one. Raises IOError or
        # SystemCallError when the descriptor was closed meanwhile.
        def io_wait(fiber, io, events)
          wait = new_wait(fiber)
          id = 0
          begin
            id = @engine.arm(io, events, wait)
            transfer
            result = wait.result or return false
            (result < 0) ? raise_error(io, result) : result
          ensure
            leave(wait, id)
          end
        end

        # Takes pid and flags as waitpid(2) does. Returns the status, nil with WNOHANG while no
        # child has ended.
        def process_wait(fiber, pid, flags)
          polls = 0
          until (status = ::Process::Status.wait(pid, flags | ::Process::WNOHANG))
            return if flags.anybits?(::Process::WNOHANG)

            wait_for_pidfd(fiber, pid, flags) || pause(fiber, PAUSES[polls] || PAUSES.last)
            polls += 1
          end
          status
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

        # Ends a wait. It is reused only if it was disarmed or delivered: otherwise its completion
        # is still to come, and must not hit another wait.
        def leave(wait, id)
          wait.fiber = NullFiber
          disarmed = @engine.disarm(id)
          @spare.push(wait) if disarmed || wait.result
        end

        # False when a pidfd cannot tell: it reports a child's end only, not a stop.
        def wait_for_pidfd(fiber, pid, flags)
          return false unless pid.positive? && flags.nobits?(::Process::WUNTRACED)

          descriptor = @engine.pidfd(pid) or return false
          io = IO.for_fd(descriptor)
          io_wait(fiber, io, IO::READABLE)
          true
        ensure
          Fiber.blocking { io.close } if io
        end

        def pause(fiber, seconds)
          wait = new_wait(fiber)
          id = 0
          begin
            id = @engine.after(seconds, wait)
            transfer
          ensure
            leave(wait, id)
          end
        end

        def raise_error(io, result)
          ::Kernel.raise IOError, "stream closed in another thread" if result == EBADF && io.closed?
          ::Kernel.raise SystemCallError.new(nil, -result)
        end
      end
    end
  end
end
