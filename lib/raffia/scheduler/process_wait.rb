# frozen_string_literal: true

module Raffia
  class Scheduler
    # Waiting for children.
    #
    # @api private
    module ProcessWait
      # Seconds between two looks where a child cannot be watched. A thread that waits for any of a
      # group would be quicker, but could not be called off: after an interrupt it would take the
      # status of a child that somebody else waits for.
      NAPS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05].freeze
      private_constant :NAPS

      # Hook of Process.wait, Process::Status.wait, system and backticks.
      #
      # @param pid [Integer] a child; 0 or negative: any of a group, as waitpid(2) takes it
      # @param flags [Integer] Process::WNOHANG, Process::WUNTRACED
      # @return [::Process::Status, nil]
      def process_wait(pid, flags)
        status = ::Process::Status.wait(pid, flags | ::Process::WNOHANG)
        return status if status || (flags & ::Process::WNOHANG).positive?
        # A pidfd tells of the end only, not of a stop.
        return nap(pid, flags) unless pid.positive? && (flags & ::Process::WUNTRACED).zero?

        watch(pid, flags) || nap(pid, flags)
      end

      private

      def watch(pid, flags)
        descriptor = engine.pidfd(pid) or return

        begin
          io = IO.for_fd(descriptor, path: "child #{pid}")
          io_wait(io, IO::READABLE, nil)
        ensure
          Fiber.blocking { io.close }
        end
        ::Process::Status.wait(pid, flags | ::Process::WNOHANG)
      end

      def nap(pid, flags)
        naps = 0
        until (status = ::Process::Status.wait(pid, flags | ::Process::WNOHANG))
          doze(NAPS[naps] || NAPS.last, (pid.positive? ? "child #{pid}" : "a child of a group"))
          naps += 1
        end
        status
      end

      def doze(seconds, subject)
        timer = nil
        park(false, subject) do |wait|
          timer = engine.after(seconds, wait)
          false
        end
      ensure
        engine.disarm(timer) if timer && !closed?
      end
    end
  end
end
