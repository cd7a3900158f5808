# frozen_string_literal: true

module Raffia
  class Scheduler
    # A call on another thread that uses memory of the calling fiber. The fiber may break it off
    # before it has begun; once it has, it must be waited for.
    #
    # @api private
    class Errand
      # Seconds between two pushes at a call that is to end soon.
      PUSH = 0.02
      private_constant :PUSH

      # @return [Object] what the call returned
      attr_reader :value

      # @yield the call
      def initialize(&work)
        @work = work
        @permission = Thread::Queue.new([true]) # to begin; taken once
        @end = Thread::Queue.new # closed when there is nothing to wait for any more
      end

      def over? = @end.closed?

      # On the other thread.
      # @return [void]
      def run
        @thread = Thread.current
        return unless @permission.pop(timeout: 0)

        begin
          @value = @work.call
        ensure
          @end.close
        end
      end

      # Keep it from beginning; when it is too late for that, wait for its end.
      # @return [void]
      def call_off
        return @end.close if @permission.pop(timeout: 0)

        until over?
          # What sleeps in the kernel for long, such as opening a FIFO, wakes up of this. It may not
          # have fallen asleep yet.
          @thread.wakeup
          @end.pop(timeout: PUSH)
        end
      end
    end
  end
end
