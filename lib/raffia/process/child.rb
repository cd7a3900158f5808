# frozen_string_literal: true

require_relative "../base/signals"
require_relative "child_setup"
require_relative "output_buffers"

module Raffia
  module Process
    # Runs a pool's worker in its process. It serves its connection and leaves by +exit!+: +at_exit+
    # handlers, finalizers and open transactions are the parent's.
    #
    # * Standard input is the null device. Output is unbuffered, or lines of several workers would
    # be
    #   torn, and those of a killed one lost.
    # * SIGINT does nothing: a terminal sends Ctrl-C to the whole group, and the parent decides. It
    #   has a handler, because programs started here would inherit "IGNORE".
    # * SIGTERM and SIGHUP raise {Cancel} in the work, so that +ensure+ blocks run.
    # * A worker ends with its parent, by kill -9 too. On Linux the kernel kills it; elsewhere C
    #   code that never lets other threads run can delay that.
    #
    # @api private
    class Child
      # Exit status of a worker that was asked by SIGTERM to stop, as shells report it.
      TERMINATED = 143

      def initialize(connection, parent)
        @connection = connection
        @parent = parent
      end

      def run(&service)
        # The handlers stay until the end: after this block SIGTERM would be the application's
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
        # An error of ours: those of the user's block travel to the parent.
        report(error)
      ensure
        leave(status)
      end

      def settle
        ChildSetup.die_with(@parent)
        Thread.new do
          @connection.wait_for_parents_end
          ::Process.exit!(ChildSetup::ORPHANED)
        end
        ::Process.setproctitle("raffia: worker of #{@parent}")
        ChildSetup.settle_streams
      end

      def report(error)
        warn("raffia: worker #{::Process.pid} failed: #{error.full_message(highlight: false)}")
      end

      def leave(status)
        [$stdout, $stderr].each { |io| ChildSetup.if_open { io.flush } }
        OutputBuffers.flush
      ensure
        ::Process.exit!(status)
      end
    end
  end
end
