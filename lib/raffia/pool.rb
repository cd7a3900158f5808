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
  # block when it is made, and +submit+ takes the block's arguments; the other strategies can be
  # used like that as well:
  #
  #     Raffia::Pool.open(on: :processes, workers: 4) { |path| digest(path) }
  class Pool
    # Futures that may wait when nothing else is said.
    QUEUE = 1_000
    # Seconds without work after which a worker leaves when nothing else is said.
    IDLE = 60
    # Reactions of +submit+ to a full queue.
    OVERFLOW = %i[block reject caller_runs].freeze

    # @return [Symbol] the strategy
    attr_reader :on

    # A pool for the time of a block: shut down at the block's end, terminated when that ends with
    # an exception.
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
    # @param workers [Integer, nil] at most so many; by default as Raffia.map has it. They are
    #   started when there is work
    # @param queue [Integer] how much may wait
    # @param overflow [Symbol] what +submit+ does when so much waits: +:block+ waits for room,
    #   +:reject+ raises Full, +:caller_runs+ does the work where it was called
    # @param idle [Numeric, nil] seconds without work after which a worker leaves; nil: they stay
    # @param work [#call, nil] what a block would be: one of them
    # @param limits [Hash] +item_timeout:+, +retries:+, +backoff:+, +retry_on:+, +max_tasks:+,
    #   +max_memory:+, +max_age:+ and +move:+, as Raffia.map has them
    # @yield what each worker does with what is submitted; +:processes+ and +:ractors+ need it
    # @raise [ConfigError]
    # @raise [NotShareable] on +:ractors+, when the block captures what no other Ractor may see
    def initialize(on: :threads, workers: nil, queue: QUEUE, overflow: :block, idle: IDLE,
      work: nil,
      **limits, &block)
      Validation.counts(queue:)
      Validation.seconds(idle:)
      check_overflow(overflow)
      strategy = Strategy.fetch(on)
      Validation.threads(on) if strategy.background_group.respond_to?(:threads?)
      options = Options.persistent(workers: workers, **limits)
      work = Validation.work(work, block)
      @on = on
      queue ||= QUEUE
      Persistent::Submission.check(strategy, on, work)
      @coordinator = Persistent::Coordinator.new(strategy, options, work, queue: queue, idle: idle)
      @submission = Persistent::Submission.new(@coordinator, on, work, queue, overflow)
      @fork = Fork.after_child { @coordinator.start_over }
    end

    # Hand in a call. When the queue is full, this waits, or does what +overflow:+ says. Several
    # submitters take turns: a caller with 10,000 calls cannot starve the others.
    #
    # @param arguments of the block
    # @yield the work, where the pool can take one: on +:processes+ and +:ractors+ it cannot
    # @return [Future]
    # @raise [Closed] after {#shutdown}
    # @raise [Full] when the queue is, with +overflow: :reject+
    # @raise [ConfigError] when there is no block, or one that cannot be sent to the workers
    def submit(*arguments, &block) = @submission.submit(arguments, block)

    # Run the pool's block over the items, on warm workers. It waits for room in the queue, whatever
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

    # Take no more work, and wait until what there is has been done.
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

    # Stop now: what waits is cancelled, and what runs is stopped as its strategy allows: fibers
    # where they wait, threads almost anywhere, processes in any case; Ractors work on to the end of
    # their chunk, without anybody waiting for it.
    # @return [void]
    def terminate
      @submission.close
      @fork.remove
      @coordinator.terminate
    end

    # @return [Boolean] whether it takes no more work
    def closed? = @submission.closed?

    # @return [Hash] on:; of workers: workers: (those that live), idle:, most_workers: (that ever
    #   lived at once), replaced: (that died at work, or had served their time); of work: waiting:,
    #   most_waiting:, and so far submitted:, done:, failed:, cancelled:, rejected:; with pids: of
    #   worker processes
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
