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

      # +threads+: of each kind at most; nil: two for each processor, and at least four.
      def initialize(threads)
        @threads = threads
        @calls = {}
        @operations = {}
      end

      # Runs the block on a thread: +kind+ :calls for users' blocks, :blocks for core's.
      def run(kind, &)
        # A pool reads files, which must not be offloaded in turn.
        pool = @calls[kind] ||= Fiber.blocking do
          Executor::Threads::BlockingPool.new(max: @threads)
        end
        pool.call(&)
      end

      # The OperationPool for :files, :compute or :waiting.
      def call(kind)
        @operations[kind] ||= Fiber.blocking do
          Executor::Threads::OperationPool.new { Engine::CallQueue.new(limit(kind)) }
        end
      end

      def abandon(scheduler) = @operations.each_value { |pool| pool.abandon(scheduler) }

      # +timeout+: seconds for each kind, because a call may block for ever.
      def shutdown(timeout)
        [*@calls.values, *@operations.values].each { |pool| pool.shutdown(timeout) }
      end

      # By kind: threads:, queued:, running:, and others.
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
