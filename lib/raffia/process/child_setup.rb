# frozen_string_literal: true

require_relative "../native"

module Raffia
  module Process
    # First steps of forked processes.
    #
    # @api private
    module ChildSetup
      # Exit status of one whose parent ended.
      ORPHANED = 70

      module_function

      # Forks a process that ends with its parent and exchanges nothing with it. The block runs in
      # the child, which ends with it: with 0, or 1 when it raises. Returns the pid. Raises
      # SystemCallError.
      def fork
        parent = ::Process.pid
        ::Process.fork do
          die_with(parent)
          yield
          ::Process.exit!(0)
        ensure
          ::Process.exit!(1)
        end
      end

      # By kill -9 too. The signal comes when the thread that forked ends, so that one has to stay.
      def die_with(parent)
        Native.die_with_parent(parent) if Native.available?
        ::Process.exit!(ORPHANED) unless ::Process.ppid == parent
      end

      # Output is written at once, and input is the null device.
      def settle_streams
        # The application's need not be IOs.
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
