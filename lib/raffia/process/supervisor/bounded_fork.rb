# frozen_string_literal: true

module Raffia
  module Process
    class Supervisor
      # Forks, or fails within a second. Where a limit on processes is reached, Ruby retries every
      # second for ever, and the supervisor could neither serve nor stop meanwhile.
      #
      # @api private
      module BoundedFork
        TIMEOUT = 1
        Enough = Class.new(Exception) # standard:disable Lint/InheritException
        private_constant :Enough

        # The block runs in the child, on a stack of its own: nothing of the caller's is unwound
        # there. Returns the pid. Raises SystemCallError.
        def self.fork(&block)
          OutputBuffers.flush
          here = Thread.current
          pid = nil
          timer = Thread.new { sleep(TIMEOUT) && here.raise(Enough) }
          # Only where it waits, so that the pid of a child is never lost.
          Thread.handle_interrupt(Enough => :on_blocking) do
            pid = ::Process.fork(&block)
            timer.kill.join
          end
          pid
        rescue Enough
          pid || raise(Errno::EAGAIN, "fork: there are too many processes")
        ensure
          timer&.kill
        end
      end
    end
  end
end
