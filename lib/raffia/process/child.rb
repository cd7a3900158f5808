# frozen_string_literal: true

require_relative "../base/signals"
require_relative "../native"

module Raffia
  module Process
    # The life of a worker, seen from inside. It serves its link and then leaves by +exit!+: the parent's +at_exit+ handlers,
    # finalizers and open transactions are the parent's, and a copy of them must not run here.
    #
    # * Standard input is the null device: a worker that read the terminal, or a shared file, would steal the parent's input.
    # * Standard output and error are the parent's, and written at once: from buffers that are full at different times the lines of
    #   several workers would come in pieces, and those of one that is killed not at all.
    # * SIGINT does nothing, whatever handler the application had set: a terminal sends Ctrl-C to the whole group, and it is for the
    #   parent to decide. It is a handler and not "IGNORE", which programs started from here would inherit.
    # * SIGTERM and SIGHUP raise {Cancel} in the work, so that +ensure+ blocks run, whatever handler the application had set.
    # * When the parent ends, by kill -9 too, so does the worker. On Linux the kernel kills it, whatever it does at the time; elsewhere
    #   a call into C that never lets other threads run can hold it up.
    #
    # @api private
    class Child
      # Exit status of a worker that was asked by SIGTERM to stop, as shells report it.
      TERMINATED = 143
      # Exit status of a worker whose parent ended.
      ORPHANED = 70

      # @param link [Link] of which this process takes the child's side
      # @param parent [Integer] the pid of the parent, for the title
      def initialize(link, parent)
        @link = link
        @parent = parent
      end

      # Never returns.
      # @yieldparam link [Link]
      def run(&service)
        # The handlers stay until the end: outside of this block SIGTERM would be the application's again.
        stop = ->(_) { raise Cancel.new(:terminated) }
        Signals.with(chain: false, INT: ->(_) {}, TERM: stop, HUP: stop) { serve(&service) }
      ensure
        ::Process.exit!(TERMINATED)
      end

      private

      def serve
        status = 1
        @link.child_side
        settle
        yield @link
        status = 0
      rescue Cancel
        status = TERMINATED
      rescue Exception => error # standard:disable Lint/RescueException
        # Not an error of the user's block, those travel to the parent: one of ours, so say what it was.
        report(error)
      ensure
        leave(status)
      end

      def settle
        end_with_parent
        Thread.new do
          @link.wait_for_parents_end
          ::Process.exit!(ORPHANED)
        end
        ::Process.setproctitle("raffia: worker of #{@parent}")
        # What the application has put there need not be an IO.
        [$stdout, $stderr].each { |io| if_open { io.sync = true if io.respond_to?(:sync=) } }
        # The descriptor, whatever $stdin may be now.
        if_open { ::STDIN.reopen(::File::NULL) } # standard:disable Style/GlobalStdStream
      end

      # The application may have closed its own.
      def if_open
        yield
      rescue IOError, SystemCallError
        nil
      end

      # The signal comes when the thread ends that forked. That one stays to reap this process, so it is the parent's end.
      def end_with_parent
        Native.end_with(@parent) if Native.available?
        ::Process.exit!(ORPHANED) unless ::Process.ppid == @parent
      end

      def report(error)
        warn("raffia: worker #{::Process.pid} failed: #{error.full_message(highlight: false)}")
      end

      def leave(status)
        [$stdout, $stderr].each { |io| if_open { io.flush } }
      ensure
        ::Process.exit!(status)
      end
    end
  end
end
