# frozen_string_literal: true

module Raffia
  module Integrations
    module IOEvent
      # Waiting for children.
      #
      # @api private
      module ProcessWait
        # Seconds between two looks where a child cannot be watched. A thread that waits for any of
        # a group would be quicker, but could not be called off: after an interrupt it might take
        # the status of a child that somebody else waits for.
        NAPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05].freeze
        private_constant :NAPS

        # +fiber+: the running one.
        # +pid+: a child; 0 or negative: any of a group, as waitpid(2) takes it.
        # +flags+: Process::WNOHANG, Process::WUNTRACED.
        def process_wait(fiber, pid, flags)
          looks = 0
          until (status = ::Process::Status.wait(pid, flags | ::Process::WNOHANG))
            return if flags.anybits?(::Process::WNOHANG)

            watch(fiber, pid, flags) || nap(fiber, NAPS[looks] || NAPS.last)
            looks += 1
          end
          status
        end

        private

        # Whether it has been watched.
        def watch(fiber, pid, flags)
          # A pidfd tells of the end only, not of a stop.
          return unless pid.positive? && flags.nobits?(::Process::WUNTRACED)

          descriptor = @engine.pidfd(pid) or return
          io = IO.for_fd(descriptor)
          io_wait(fiber, io, IO::READABLE)
          true
        ensure
          Fiber.blocking { io.close } if io
        end
      end
    end
  end
end
