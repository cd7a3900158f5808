# frozen_string_literal: true

require_relative "base"
require_relative "task"
require_relative "process"
require_relative "executor"

module Raffia
  # Workers that live on between calls.
  #
  #     pool = Raffia::Pool.new(on: :threads, workers: 10)
  #     future = pool.submit { fetch(url) }
  #     future.value
  #     pool.shutdown
  #
  # A block cannot be sent to a process or a Ractor that runs already. There the pool is given its
  # block when it is made, and +submit+ takes the block's arguments. The other strategies can be
  # used like that as well:
  #
  #     Raffia::Pool.open(on: :processes, workers: 4) { |path| digest(path) }
  class Pool
    # Default of +queue:+.
    QUEUE = 1_000
    # Default of +idle:+.
    IDLE = 60
    # Reactions of +submit+ to a full queue.
    OVERFLOW = %i[block reject caller_runs].freeze

    # @return [Symbol] the strategy
    attr_reader :on

    # A pool for the time of a block: shut down at its end, terminated after an exception.
    #
    #     Raffia::Pool.open(on: :threads) { |pool| pool.submit { ... } }
    #
    # @param work [#call, nil] what each worker does, where +new+ would take a block
    # @yieldparam pool [Pool]
    # @return [Object] the block's value
    def self.open(work: nil, **options)
      pool = new(work: work, **options)
      value = yield pool
      pool.shutdown
      value
    ensure
      pool&.terminate
    end

    # @param on [Symbol] +:inline+, +:fibers+, +:threads+, +:ractors+ or +:processes+
    # @param workers [Integer, nil] the most workers; they start when there is work. By default as
    # for Raffia.map
    # @param queue [Integer] calls that may wait
    # @param overflow [Symbol] what +submit+ does when the queue is full: +:block+ waits for room,
    #   +:reject+ raises Full, +:caller_runs+ does the work where it was called
    # @param idle [Numeric, nil] seconds without work after which a worker leaves; nil: they stay
    # @param keep [Integer] so many workers without work stay
    # @param work [#call, nil] instead of a block
    # @param limits [Hash] +item_timeout:+, +retries:+, +backoff:+, +retry_on:+, +max_tasks:+,
    #   +max_memory:+, +max_age:+ and +move:+, as for Raffia.map
    # @yield what each worker does with what is submitted; +:processes+ and +:ractors+ need it
    # @raise [ConfigError]
    # @raise [NotShareable] on +:ractors+, when the block captures what no other Ractor may see
    def initialize(on: :threads, workers: nil, queue: QUEUE, overflow: :block, idle: IDLE,
      keep: 0, work: nil,
      **limits, &block)
      Validation.counts(queue:)
      Validation.seconds(idle:)
      unless keep.is_a?(Integer) && keep >= 0
        raise ConfigError, "keep: #{keep.inspect} is not a number of workers"
      end
      check_overflow(overflow)
      strategy = Strategy.fetch(on)
      Validation.threads(on) if strategy.background_group.respond_to?(:threads?)
      options = Options.persistent(workers: workers, **limits)
      work = Validation.work(work, block)
      @on = on
      queue ||= QUEUE
      Persistent::Submission.check(strategy, on, work)
      @coordinator = Persistent::Coordinator.new(strategy, options, work, queue: queue, idle: idle,
        keep: keep)
      @submission = Persistent::Submission.new(@coordinator, on, work, queue, overflow)
      @fork = Fork.after_child { @coordinator.start_over }
    end

    # Submits a call. When the queue is full, this waits, or does what +overflow:+ says. Submitters
    # take turns: a caller with 10,000 calls cannot starve the others.
    #
    # @param arguments of the block
    # @yield the work; not on +:processes+ and +:ractors+
    # @return [Future]
    # @raise [Closed] after {#shutdown}
    # @raise [Full] when the queue is, with +overflow: :reject+
    # @raise [ConfigError] when there is no block, or one that cannot be sent to the workers
    def submit(*arguments, &block) = @submission.submit(arguments, block)

    # Runs the pool's block over the items, on warm workers. Waits for room in the queue, whatever
    # +overflow:+ says.
    #
    # @param items [#each]
    # @return [Array] the results, in the order of the items
    # @raise [Exception] the first error in that order; what has not begun then is cancelled
    def map(items, &block)
      futures = []
      @submission.submit_all(items, block, futures)
      results = futures.map(&:value)
    ensure
      futures&.each(&:withdraw) unless results
    end

    # Takes no more work, and waits until all is done.
    # @param timeout [Numeric, nil] seconds to wait at most
    # @return [Boolean] whether all is done
    # @raise [Error] from one of the pool's own workers
    def shutdown(timeout = nil)
      Validation.seconds(timeout:)
      if @coordinator.slots.own?
        raise Error, "a worker cannot wait for the end of its own pool: shut it down from outside"
      end

      @submission.close
      @fork.remove
      @coordinator.finish(timeout)
    end

    # Stops now: what waits is cancelled, and what runs is stopped where its strategy allows it:
    # fibers where they wait, threads almost anywhere, processes in any case. Ractors work on to the
    # end of their chunk, unheard.
    # @return [void]
    def terminate
      @submission.close
      @fork.remove
      @coordinator.terminate
    end

    # @return [Boolean] whether it takes no more work
    def closed? = @submission.closed?

    # @return [Hash] on:; of workers: workers: (alive), idle:, most_workers: (at once so far),
    #   replaced: (died or recycled); of work: waiting:, most_waiting:, and so far submitted:,
    #   done:, failed:, cancelled:, rejected:; pids: of worker processes
    def stats = {on: @on, **@coordinator.stats}

    # @return [String]
    def inspect
      size = "#{@coordinator.slots.size}/#{@coordinator.workers}"
      "#<#{self.class} on: #{@on.inspect} workers: #{size}#{" closed" if closed?}>"
    end

    private

    def check_overflow(overflow)
      return if OVERFLOW.include?(overflow)

      raise ConfigError, "overflow: #{overflow.inspect} is nothing that a full queue can do: use " \
        "one of #{OVERFLOW.map(&:inspect).join(", ")}"
    end
  end
end

require_relative "pool/api"
require_relative "pool/persistent/coordinator"
require_relative "pool/persistent/submission"
