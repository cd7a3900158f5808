# frozen_string_literal: true

require_relative "../output_buffers"

module Raffia
  module Process
    class Supervisor
      # A fork that does not wait for the machine. Where a limit on processes is reached, Ruby's own
      # tries again every second, for ever: nobody would be served meanwhile, or stopped.
      #
      # @api private
      module BoundedFork
        # Seconds for which Ruby may try.
        PATIENCE = 1
        # Interrupts that.
        Enough = Class.new(Exception) # standard:disable Lint/InheritException
        private_constant :Enough

        # @yield in the child, on a stack of its own: nothing of the caller's is ever unwound there
        # @return [Integer] pid
        # @raise [SystemCallError]
        def self.fork(&block)
          # what the application wrote as it was loaded would come from each worker, too
          OutputBuffers.flush
          here = Thread.current
          pid = nil
          timer = Thread.new { sleep(PATIENCE) && here.raise(Enough) }
          # Where it waits, and nowhere else: a child that was born is always known.
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
