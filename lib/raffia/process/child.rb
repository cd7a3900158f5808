# frozen_string_literal: true

require_relative "../base/signals"
require_relative "child_setup"
require_relative "output_buffers"

module Raffia
  module Process
    # The life of a worker, seen from inside. It serves its connection and then leaves by +exit!+:
    # the parent's +at_exit+ handlers, finalizers and open transactions are the parent's, and a copy
    # of them must not run here.
    #
    # * Standard input is the null device: a worker that read the terminal, or a shared file, would
    #   steal the parent's input.
    # * Standard output and error are the parent's, and written at once: from buffers that are full
    #   at different times the lines of several workers would come in pieces, and those of one that
    #   is killed not at all.
    # * SIGINT does nothing, whatever handler the application had set: a terminal sends Ctrl-C to
    #   the whole group, and it is for the parent to decide. It is a handler and not "IGNORE", which
    #   programs started from here would inherit.
    # * SIGTERM and SIGHUP raise {Cancel} in the work, so that +ensure+ blocks run, whatever handler
    #   the application had set.
    # * When the parent ends, by kill -9 too, so does the worker. On Linux the kernel kills it,
    #   whatever it does at the time; elsewhere a call into C that never lets other threads run can
    #   hold it up.
    #
    # @api private
    class Child
      include ChildSetup

      # Exit status of a worker that was asked by SIGTERM to stop, as shells report it.
      TERMINATED = 143

      # @param connection [WorkerConnection] of which this process takes the child's side
      # @param parent [Integer] the pid of the parent, for the title
      def initialize(connection, parent)
        @connection = connection
        @parent = parent
      end

      # Never returns.
      # @yieldparam connection [WorkerConnection]
      def run(&service)
        # The handlers stay until the end: outside of this block SIGTERM would be the application's
        # again.
        stop = ->(_) { raise Cancel.new(:terminated) }
        Signals.with(chain: false, INT: ->(_) {}, TERM: stop, HUP: stop) { serve(&service) }
      ensure
        ::Process.exit!(TERMINATED)
      end

      private

      def serve
        status = 1
        OutputBuffers.discard
        @connection.child_side
        settle
        yield @connection
        status = 0
      rescue Cancel
        status = TERMINATED
      rescue Exception => error # standard:disable Lint/RescueException
        # Not an error of the user's block, those travel to the parent: one of ours, so say what it
        # was.
        report(error)
      ensure
        leave(status)
      end

      def settle
        die_with(@parent)
        Thread.new do
          @connection.wait_for_parents_end
          ::Process.exit!(ORPHANED)
        end
        ::Process.setproctitle("raffia: worker of #{@parent}")
        settle_streams
      end

      def report(error)
        warn("raffia: worker #{::Process.pid} failed: #{error.full_message(highlight: false)}")
      end

      def leave(status)
        [$stdout, $stderr].each { |io| if_open { io.flush } }
        OutputBuffers.flush
      ensure
        ::Process.exit!(status)
      end
    end
  end
end
