# frozen_string_literal: true

module Raffia
  # The threads of one run that do what must not block its loop: a pool for each kind of work, so
  # that no kind can occupy the threads of another. Each is started when it is first needed.
  #
  # @api private
  class ThreadPools
    # Opens of FIFOs and terminals wait for somebody else each, who may be another of them.
    MOST_WAITING = 1_024
    private_constant :MOST_WAITING

    # @param threads [Integer, nil] of each kind at most; nil: two for each processor, and at least
    #   four
    def initialize(threads)
      @threads = threads
      @blocks = {}
      @operations = {}
    end

    # Runs the block on a thread.
    # @param kind [Symbol] :calls for users' blocks, :blocks for core's
    # @return [Object] the block's value
    def run(kind, &)
      # A pool reads files, which must not be offloaded in turn.
      (@blocks[kind] ||= Fiber.blocking { Pool::Offload.new(max: @threads) }).call(&)
    end

    # @param kind [Symbol] :files, :compute or :waiting
    # @return [Pool::OperationThreads]
    def call(kind)
      @operations[kind] ||= Fiber.blocking {
        Pool::OperationThreads.new { Engine::CallQueue.new(limit(kind)) }
      }
    end

    # @param scheduler [Scheduler] that is closed
    # @return [void]
    def abandon(scheduler) = @operations.each_value { |pool| pool.abandon(scheduler) }

    # What blocks may do so for ever.
    # @param timeout [Numeric, nil] seconds for each kind
    # @return [void]
    def shutdown(timeout)
      [*@blocks.values, *@operations.values].each { |pool| pool.shutdown(timeout) }
    end

    # @return [Hash{Symbol => Hash}] by kind: threads:, queued:, running:, and others
    def stats
      blocks = @blocks.transform_values do |pool|
        pool.stats => {threads:, idle:, waiting:, max:}
        {limit: max, threads: threads, queued: waiting, running: [threads - idle, 0].max}
      end
      {**blocks, **@operations.transform_values(&:stats)}
    end

    private

    def limit(kind)
      case kind
      when :waiting then MOST_WAITING
      when :compute then Pool::Cpus.count
      else @threads || [Pool::Cpus.count * 2, 4].max
      end
    end
  end
end
