# frozen_string_literal: true

module Raffia
  class Scheduler
    # One Process.wait of a fiber.
    #
    # @api private
    class ChildWait
      # Seconds between polls where a child cannot be watched. A thread that waits for any child
      # would be quicker, but after an interrupt it would take another fiber's status.
      PAUSES = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05].freeze
      private_constant :PAUSES

      def initialize(scheduler, pid, flags)
        @scheduler = scheduler
        @pid = pid
        @flags = flags
      end

      def status
        status = poll
        return status if status || @flags.anybits?(::Process::WNOHANG)

        (await_end if watchable?) || poll_until_ended
      end

      private

      def poll = ::Process::Status.wait(@pid, @flags | ::Process::WNOHANG)

      # A pidfd tells of the end only, not of a stop.
      def watchable? = @pid.positive? && @flags.nobits?(::Process::WUNTRACED)

      def await_end
        descriptor = @scheduler.engine.pidfd(@pid) or return

        begin
          io = IO.for_fd(descriptor, path: "child #{@pid}")
          @scheduler.io_wait(io, IO::READABLE, nil)
        ensure
          Fiber.blocking { io.close }
        end
        poll
      end

      def poll_until_ended
        polls = 0
        until (status = poll)
          @scheduler.park_within(PAUSES[polls] || PAUSES.last, false, subject) { false }
          polls += 1
        end
        status
      end

      def subject = @pid.positive? ? "child #{@pid}" : "a child of a group"
    end
  end
end
