# frozen_string_literal: true

module Raffia
  module Run
    # The threads of one run for calls that would block its loop: a pool for each kind of call, so
    # that no kind can occupy the threads of another. Each starts when it is first needed.
    #
    # @api private
    class ThreadPools
      # Opening a FIFO or a terminal waits for the other end, which another such call may open.
      MAX_WAITING = 1_024
      private_constant :MAX_WAITING

      # @param threads [Integer, nil] of each kind at most; nil: two for each processor, and at
      #   least four
      def initialize(threads)
        @threads = threads
        @calls = {}
        @operations = {}
      end

      # Runs the block on a thread.
      # @param kind [Symbol] :calls for users' blocks, :blocks for core's
      # @return [Object] the block's value
      def run(kind, &)
        # A pool reads files, which must not be offloaded in turn.
        pool = @calls[kind] ||= Fiber.blocking do
          Executor::Threads::BlockingPool.new(max: @threads)
        end
        pool.call(&)
      end

      # @param kind [Symbol] :files, :compute or :waiting
      # @return [Executor::Threads::OperationPool]
      def call(kind)
        @operations[kind] ||= Fiber.blocking do
          Executor::Threads::OperationPool.new { Engine::CallQueue.new(limit(kind)) }
        end
      end

      # @param scheduler [Scheduler] that is closed
      # @return [void]
      def abandon(scheduler) = @operations.each_value { |pool| pool.abandon(scheduler) }

      # A call may block for ever.
      # @param timeout [Numeric, nil] seconds for each kind
      # @return [void]
      def shutdown(timeout)
        [*@calls.values, *@operations.values].each { |pool| pool.shutdown(timeout) }
      end

      # @return [Hash{Symbol => Hash}] by kind: threads:, queued:, running:, and others
      def stats
        calls = @calls.transform_values do |pool|
          pool.stats => {threads:, idle:, waiting:, max:}
          {limit: max, threads: threads, queued: waiting, running: [threads - idle, 0].max}
        end
        {**calls, **@operations.transform_values(&:stats)}
      end

      private

      def limit(kind)
        case kind
        when :waiting then MAX_WAITING
        when :compute then Executor::Cpus.count
        else @threads || [Executor::Cpus.count * 2, 4].max
        end
      end
    end
  end
end
