# frozen_string_literal: true

module Raffia
  module Process
    # Calls a block regularly in a thread of its own, to see problems although the rest of the
    # process may be stuck. C code that keeps Ruby's lock stops it, too.
    #
    # @api private
    class Watchdog
      # `interval`: seconds. An error of the block ends the watch.
      def initialize(interval, &check)
        @end = Thread::Queue.new
        @thread = Thread.new do
          Thread.current.name = "raffia watchdog"
          until @end.closed?
            check.call
            @end.pop(timeout: interval)
          end
        end
      end

      def close
        @end.close
        @thread.join unless @thread.equal?(Thread.current)
      end
    end
  end
end
