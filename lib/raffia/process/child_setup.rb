# frozen_string_literal: true

require_relative "../native"

module Raffia
  module Process
    # First steps of every forked process, whichever class forked it.
    #
    # @api private
    module ChildSetup
      # Exit status of one whose parent ended.
      ORPHANED = 70

      private

      # By kill -9 too. The signal comes when the thread ends that forked, so that one has to stay.
      # `parent`: pid.
      def die_with(parent)
        Native.die_with_parent(parent) if Native.available?
        ::Process.exit!(ORPHANED) unless ::Process.ppid == parent
      end

      # Output is written at once, and input is the null device.
      def settle_streams
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
    end
  end
end
