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
        # Fiber storage is inherited. Deadlines and scopes of the caller must not reach the service.
        @thread = ::Fiber.new(blocking: true, storage: {}) { start(ready) }.resume
        wait unless ready.pop
      end

      # Finishes what the service has begun, and waits for that.
      # @raise [Exception] what the service ended with
      def stop
        @service.stop
        wait
      end

      # Waits for the end.
      # @raise [Exception] what the service ended with
      def wait
        @thread.value
        nil
      end

      # @return [Boolean]
      def running? = @thread.alive?

      private

      # Closes the queue when the service cannot start, so that the constructor does not wait.
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
