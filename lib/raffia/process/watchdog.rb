# frozen_string_literal: true

module Raffia
  module Process
    # A thread that looks every so often, for what must be seen although the rest of the process may
    # be stuck: but not while a call into C keeps Ruby's lock.
    #
    # @api private
    class Watchdog
      # @param interval [Numeric] seconds
      # @yield each time; an error is said, and looked for no further
      def initialize(interval, &look)
        @end = Thread::Queue.new
        @thread = Thread.new do
          Thread.current.name = "raffia lookout"
          until @end.closed?
            look.call
            @end.pop(timeout: interval)
          end
        end
      end

      # @return [void]
      def close
        @end.close
        @thread.join unless @thread.equal?(Thread.current)
      end
    end
  end
end
