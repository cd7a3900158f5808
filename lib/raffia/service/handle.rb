# frozen_string_literal: true

module Raffia
  module Service
    # A service in a thread of this process, for tests and beside other work.
    class Handle
      # @param service [#run, #stop] whose run yields when it is ready
      # @raise [Exception] what kept it from starting
      def initialize(service)
        @service = service
        ready = ::Thread::Queue.new
        # Fiber storage is inherited: deadlines and scopes of the caller are not the service's.
        @thread = ::Fiber.new(blocking: true, storage: {}) { start(ready) }.resume
        wait unless ready.pop
      end

      # Lets the service finish what it has begun, and waits for that.
      # @return [void]
      # @raise [Exception] what the service ended with
      def stop
        @service.stop
        wait
      end

      # @return [void]
      # @raise [Exception] what the service ended with
      def wait
        @thread.value
        nil
      end

      # @return [Boolean]
      def running? = @thread.alive?

      private

      # The queue is closed when the service cannot start, so that nobody waits for it.
      def start(ready)
        ::Thread.new do
          ::Thread.current.report_on_exception = false
          @service.run { ready << true }
        ensure
          ready.close
        end
      end
    end
  end
end
