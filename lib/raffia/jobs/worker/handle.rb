# frozen_string_literal: true

require_relative "../../pool"

module Raffia
  module Jobs
    class Worker
      # A worker that runs in a thread of this process.
      class Handle
        # @return [Worker]
        attr_reader :worker

        # @param worker [Worker]
        # @raise [Exception] what kept it from starting
        def initialize(worker)
          @worker = worker
          ready = ::Thread::Queue.new
          @pool = Pool.new(on: :threads, workers: 1, idle: nil)
          @future = @pool.submit { run(ready) }
          wait unless ready.pop
        end

        # Lets the jobs that have begun end, for at most `timeout` of the worker's, and waits for
        # that.
        # @return [void]
        # @raise [Exception] what the worker ended with, if it did
        def stop
          @worker.stop
          wait
        end

        # @return [void]
        # @raise [Exception] what the worker ended with
        def wait
          @future.value
          nil
        ensure
          @pool.shutdown
        end

        # @return [Boolean]
        def running? = !@future.done?

        private

        # The queue is closed when it cannot start, so that nobody waits for it.
        def run(ready)
          @worker.run { ready << true }
        ensure
          ready.close
        end
      end
    end
  end
end
